"""Words of the command line about models and inputs: what is understood, and what is answered to the rest."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from simulated_runs import add_model

from getrace.errors import InputError, ModelError, UsageError
from runtime.api.inputs import Array, dtypes_by_name, make_inputs
from runtime.api.models import Model, load_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.lowering.graph_converter import lower
from runtime.lowering.model_desc import ModelDesc
from runtime.values import DType

ROOM = 1 << 20
"""Bytes of the device in these tests."""


def inputs(
    words: Sequence[str], graph: ComputeGraph | None = None, example: dict[str, tuple[int, ...]] | None = None
) -> dict[str, Array]:
    model = Model("test", graph or add_model((-1, 4)), example or {})
    desc = lower(model.graph).attrs["ModelDesc"]
    assert isinstance(desc, ModelDesc)
    return make_inputs(model, desc.inputs, words, 1, ROOM)


@pytest.mark.parametrize("word", ["x1=2x4", "x1=2,4", "x1=2x4:float32", "x1=2x4:DT_FLOAT", "x1=2x4:float"])
def test_a_shape_and_a_type_are_understood(word: str) -> None:
    x1 = inputs([word])["x1"]
    assert (x1.shape, x1.dtype.name) == ((2, 4), "float32")


def test_what_nobody_chose_comes_from_the_model_its_example_and_the_seed() -> None:
    found = inputs([], example={"x1": (3, 4)})
    assert {name: array.shape for name, array in found.items()} == {"x1": (3, 4), "x2": (8, 4)}
    assert np.array_equal(found["x1"], inputs([], example={"x1": (3, 4)})["x1"])
    assert not np.array_equal(found["x1"][:3], found["x2"][:3])


def test_an_input_of_strings_is_refused_by_name() -> None:
    graph = GraphBuilder("strings")
    words = graph.data("words", (-1,), DType.STRING)
    model = graph.output(graph.op("Identity", words, engine="DNN_VM_GE_LOCAL_OP_STORE")).build()
    with pytest.raises(
        ModelError, match="input words has the type DT_STRING, whose elements have no fixed size"
    ) as error:
        inputs([], model)
    assert "wider" not in error.value.hint


def test_a_scalar_is_two_brackets() -> None:
    graph = GraphBuilder("scalar")
    x = graph.data("x", (), DType.INT32)
    built = graph.output(graph.op("AddExample", x, x)).build()
    assert inputs(["x=()"], built)["x"].shape == ()


def test_a_file_gives_shape_type_and_content(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.full((1, 4), 2.5, np.float32))
    assert inputs([f"x1={path}"])["x1"].tolist() == [[2.5, 2.5, 2.5, 2.5]]


WRONG = [
    ("x1", "input 'x1' is not NAME=SHAPE[:DTYPE] or NAME=FILE.npy"),
    ("z=2x4", "the model has no input 'z'"),
    ("x1=2xfour", "the shape in 'x1=2xfour' is not a list of numbers"),
    ("x1=2x-4", "the shape in 'x1=2x-4' is not a list of numbers"),
    ("x1=2x4:complex", "no input can have the type 'complex'"),
    ("x1=2x5", "input x1 has the shape 2x5, the model wants -1x4"),
    ("x1=8", "input x1 has the shape 8, the model wants -1x4"),
    ("x1=()", "input x1 has the shape (), the model wants -1x4"),
    ("x1=2x4:int32", "input x1 has the type int32, the model wants float32"),
]


@pytest.mark.parametrize(("word", "sentence"), WRONG)
def test_words_that_do_not_fit_get_a_sentence(word: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        inputs([word])
    assert caught.value.message == sentence
    assert caught.value.hint


def test_a_missing_or_broken_file_is_unreadable_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        inputs([f"x1={tmp_path / 'none.npy'}"])
    broken = tmp_path / "broken.npy"
    broken.write_text("no numbers")
    with pytest.raises(InputError, match=r"is not a \.npy file of numbers"):
        inputs([f"x1={broken}"])


def test_an_input_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="input x1 is given twice"):
        inputs(["x1=2x4", "x1=3x4"])


@pytest.mark.parametrize("words", [["x1=32769x4", "x2=32768x4"], ["x1=65536x4"], ["x1=99999999999x4"]])
def test_more_than_the_device_holds_is_refused_before_it_is_made(words: list[str]) -> None:
    assert sum(array.nbytes for array in inputs(["x1=32768x4", "x2=32768x4"]).values()) == ROOM
    with pytest.raises(UsageError) as caught:
        inputs(words)
    assert caught.value.message.endswith(", the device has 1048576")


def test_a_machine_without_memory_for_an_input_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise MemoryError

    monkeypatch.setattr(np.random, "default_rng", full)
    with pytest.raises(InputError, match="this machine has no memory for input x1 of 32 bytes"):
        inputs(["x1=2x4"])


@pytest.mark.parametrize("name", sorted(dtypes_by_name()))
def test_content_has_the_type_that_was_asked_for(name: str) -> None:
    graph = GraphBuilder("typed")
    x = graph.data("x", (2, 3), dtypes_by_name()[name])
    found = inputs([f"x=2x3:{name}"], graph.output(graph.op("AddExample", x, x)).build())["x"]
    assert (found.dtype.name, found.shape) == (name, (2, 3))


def test_a_file_of_texts_has_no_type_of_ge(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.array([["a", "b", "c", "d"]]))
    with pytest.raises(UsageError, match="no input can have the type str32"):
        inputs([f"x1={path}"])


BAD_MODELS = [
    ("x = (", "cannot be executed: SyntaxError"),
    ("1 / 0", "cannot be executed: ZeroDivisionError: division by zero"),
    ("x = 1", "has no build() function"),
    ("def build():\n    return 7\n", "returned an object of type int, not a ComputeGraph"),
    ("def build():\n    pass\n", "returned None, not a ComputeGraph"),
    ("def build():\n    return {}['a']\n", "failed: KeyError: 'a'"),
]


@pytest.mark.parametrize(("source", "sentence"), BAD_MODELS)
def test_a_file_that_is_no_model_gets_a_sentence(tmp_path: Path, source: str, sentence: str) -> None:
    path = tmp_path / "model.py"
    path.write_text(source)
    with pytest.raises(ModelError) as caught:
        load_model(str(path))
    assert sentence in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.hint


def test_a_name_that_is_neither_sample_nor_file_lists_the_samples(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("")
    with pytest.raises(ModelError) as caught:
        load_model("two", tmp_path)
    assert caught.value.message == "two is neither a sample nor a Python file"
    assert caught.value.hint == "samples: one"
    with pytest.raises(ModelError, match=r"there is no file two\.py"):
        load_model("two.py", tmp_path)


def test_a_model_brings_its_name_and_its_example_shapes() -> None:
    model = load_model("add_example", Path(__file__).resolve().parents[2] / "samples")
    assert (model.name, dict(model.example_inputs)) == ("add_example", {"x1": (2, 1024), "x2": (2, 1024)})
