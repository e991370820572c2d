"""Broken ONNX files: a sentence and exit 3, never another exception, whatever byte was changed."""

import random
from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import BOOL, INT64, model, one, value

from getrace.dumps.onnx_reader import parse_onnx
from getrace.errors import InputError
from runtime.frontend.onnx.model import translate

IN_EVERY_RUN, LONG = 3_000, 50_000


def _branches() -> onnx.ModelProto:
    graphs = [
        helper.make_graph([helper.make_node(op, ["x", "w"], ["r"])], op, [], [value("r", None)])
        for op in ("Add", "Mul")
    ]
    node = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=graphs[0], else_branch=graphs[1])
    return model([node], {"c": ([], BOOL), "x": ["n", 2]}, ["y"], {"w": np.ones(2, np.float32)})


def _chain() -> onnx.ModelProto:
    typed = helper.make_tensor("t", INT64, [3], [1, -2, 300])
    nodes = [
        helper.make_node("Constant", [], ["k"], value=typed),
        helper.make_node("Gather", ["x", "k"], ["g"], axis=1),
        helper.make_node("Split", ["g"], ["a", "b"], axis=0),
        helper.make_node("Clip", ["a"], ["c"], min=0.0, max=6.0),
        helper.make_node("Pad", ["c"], ["p"], pads=[0, 1, 0, 1]),
        helper.make_node("ArgMax", ["p"], ["m"], axis=1),
        helper.make_node("RandomNormalLike", ["b"], ["r"], seed=1.0),
    ]
    return model(nodes, {"x": [2, 4]}, ["m", "r"], opset=10)


SEEDS = {
    "if": _branches(),
    "chain": _chain(),
    "conv": one("Conv", {"x": [1, 1, 4, 4]}, weights={"w": np.ones((1, 1, 2, 2), np.float32)}, pads=[1, 1, 1, 1]),
    "pool": one("MaxPool", {"x": [1, 1, 8, 8]}, kernel_shape=[2, 2], dilations=[2, 2], strides=[1, 2]),
    "resize": one("Resize", {"x": [1, 1, 4, 4], "r": [0], "s": [4]}, mode="linear"),
}


def mutations(content: bytes, seed: int, count: int) -> Iterator[bytes]:
    source = random.Random(seed)
    for _ in range(count):
        changed = bytearray(content)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(changed))
            match source.randrange(4):
                case 0:
                    changed[at] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
                case 1:
                    changed[at] ^= 1 << source.randrange(8)
                case 2:
                    del changed[at : at + source.randint(1, 4)]
                case _:
                    changed[at:at] = changed[source.randrange(len(changed)) :][: source.randint(1, 16)]
            changed = changed or bytearray(1)
        yield bytes(changed)


def outcome(content: bytes) -> str:
    """Read and translate; give the sentence of a refusal, "" for a model."""
    try:
        translate(parse_onnx(content, "broken.onnx"), "broken", None)
    except InputError as error:
        return error.message
    return ""


def check(name: str, count: int) -> None:
    content = SEEDS[name].SerializeToString()
    refused = sum(bool(outcome(changed)) for changed in mutations(content, 7, count))
    assert 0 < refused < count


@pytest.mark.parametrize("name", SEEDS)
def test_a_mutated_file_is_a_model_or_a_sentence(name: str) -> None:
    check(name, IN_EVERY_RUN)


@pytest.mark.long
@pytest.mark.parametrize("name", SEEDS)
def test_many_mutated_files_are_models_or_sentences(name: str) -> None:
    check(name, LONG)


@pytest.mark.parametrize("name", SEEDS)
def test_a_file_cut_at_any_byte_is_a_model_or_a_sentence(name: str) -> None:
    content = SEEDS[name].SerializeToString()
    said = [outcome(content[:size]) for size in range(len(content))]
    assert all(said[:20])
    assert not outcome(content)
