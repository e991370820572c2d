"""OM files that are cut, mutated or made to hurt: a sentence with the offset, in bounded time and memory."""

import random
import re
import struct
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import om_samples
import pytest
from om_samples import SAMPLES

from getrace.dumps.om_file import OmFile, parse_om
from getrace.dumps.om_graphs import read_model_def
from getrace.dumps.om_tasks import read_tasks
from getrace.dumps.om_writer import write_om
from getrace.dumps.wire import Wire, put_content, put_number, put_text, varint
from getrace.errors import InputError

REAL = ["root_model.om", "flow_model.om", "dynamic_and_static_graph_without_unfold.om"]
LARGE = ["a3c_new.om", "autoenc.om", "anenet.om"]
IN_CI, LONG = 10_000, 100_000
"""Mutations of OM files; the other formats have theirs."""


def everything(om: OmFile) -> None:
    """Look at all that a view may look at."""
    for model in om.models:
        for graph in model.snapshot.graphs.values():
            for node in graph.nodes:
                len(node.attrs)
                model.weights(node)
    for sub in om.submodels:
        if sub.om is not None:
            everything(sub.om)


def opens(content: bytes) -> bool:
    """Whether a file opens; when it does not, the error names it."""
    try:
        everything(parse_om(memoryview(content), "s.om"))
    except InputError as error:
        if "s.om" not in error.message or not error.hint:
            raise
        return False
    return True


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_that_is_cut_anywhere_is_refused(name: str) -> None:
    content = write_om(SAMPLES[name]())
    assert opens(content)
    assert [size for size in range(len(content)) if opens(content[:size])] == []


def cut(content: bytes, size: int) -> bytes:
    """Cut a file and tell its header so, so that the cut is found by what follows it."""
    shorter = bytearray(content[:size])
    if len(shorter) >= 256:
        wide = struct.unpack_from("<Q", content, 184)[0] if content[11] == 0x20 else 0
        struct.pack_into("<Q" if wide else "<I", shorter, 184 if wide else 76, size - 256)
    return bytes(shorter)


@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_a_small_real_file_that_is_cut_anywhere_is_refused(cases: Path, name: str) -> None:
    content = (cases / "om" / name).read_bytes()
    assert [size for size in range(len(content)) if opens(cut(content, size))] == []


@pytest.mark.real
@pytest.mark.parametrize("name", LARGE)
def test_a_large_real_file_that_is_cut_at_2000_places_is_refused(cases: Path, name: str) -> None:
    content = (cases / "om" / name).read_bytes()
    places = sorted(random.Random(6).sample(range(len(content)), 2000))
    view = memoryview(content)
    found = []
    for size in places:
        try:
            parse_om(view[:size], "s.om")
            found.append(size)
        except InputError as error:
            if "s.om" not in error.message:
                raise
    assert found == []


@pytest.mark.real
@pytest.mark.parametrize("name", LARGE)
def test_a_large_real_model_that_is_cut_inside_is_refused(cases: Path, name: str) -> None:
    content = (cases / "om" / name).read_bytes()
    places = random.Random(7).sample(range(256, len(content)), 40)
    assert [size for size in places if opens(cut(content, size))] == []


def mutated(content: bytes, source: random.Random) -> bytes:
    """Change a few bytes, mostly to those that hurt; cut or double a piece now and then."""
    changed = bytearray(content)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(changed))
        match source.randrange(6):
            case 0:
                changed[at : at + 4] = struct.pack("<I", source.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF)))
            case 1:
                changed[at : at + 1] = varint(source.choice((1 << 31, (1 << 63) - 1, (1 << 64) - 1)))
            case 2:
                del changed[at : at + source.randint(1, 40)]
            case 3:
                changed[at:at] = changed[at : at + source.randint(1, 40)]
            case _:
                changed[at] = source.randrange(256)
        if not changed:
            changed += b"\0"
    # Half of the files have lengths that fit, so that their inside is read.
    return cut(bytes(changed), len(changed)) if source.random() < 0.5 and len(changed) > 256 else bytes(changed)


def refused(number: int) -> int:
    """Mutate the samples so often; gives how many were refused."""
    source = random.Random(number)
    files = [write_om(make()) for make in SAMPLES.values()]
    return sum(not opens(mutated(files[turn % len(files)], source)) for turn in range(number))


def test_mutated_files_are_read_or_refused() -> None:
    assert refused(IN_CI) > IN_CI // 2


@pytest.mark.long
def test_many_mutated_files_are_read_or_refused() -> None:
    assert refused(LONG) > LONG // 2


def model_def(*ops: bytes, attrs: bytes = b"") -> bytes:
    return put_content(7, b"".join((put_text(1, "g"), *(put_content(6, op) for op in ops)))) + attrs


def attribute(value: bytes, number: int = 10) -> bytes:
    return put_content(number, put_text(1, "key") + put_content(2, value))


def nested(depth: int) -> bytes:
    """Attributes inside attributes: func -> attr -> value -> func ..."""
    value = put_number(3, 1)
    for _ in range(depth):
        value = put_content(10, put_content(2, put_text(1, "k") + put_content(2, value)))
    return value


MODELS: dict[str, tuple[bytes, str]] = {
    "no graph": (b"", "there is no graph"),
    "a group": (model_def(b"\x0b"), "wire type 3"),
    "a length past the end": (b"\x3a\xff\xff\xff\xff\x0f", "runs past the end"),
    "an endless number": (b"\x10" + b"\xff" * 20, "a number does not end"),
    "a number that is cut": (b"\x10\xff", "a number does not end"),
    "field 0": (b"\x02\x00", "a field has number 0"),
    "messages without end": (model_def(attribute(nested(40))), "nested more than 64 deep"),
    "two nodes of one name": (model_def(put_text(1, "a"), put_text(1, "a")), "has two nodes named 'a'"),
    "an input from nowhere": (model_def(put_text(1, "a") + put_text(5, "b:0")), "names no output"),
    "an input without a number": (model_def(put_text(1, "a") + put_text(5, "b")), "names no output"),
    "an order after nothing": (model_def(put_text(1, "a") + put_text(5, "b:-1")), "names no node"),
    "an attribute without a key": (model_def(put_content(10, b"")), "has no key"),
    "floats that are cut": (model_def(attribute(put_content(1, put_content(4, b"12345")))), "ends inside a number"),
    "many numbers": (model_def(attribute(put_content(1, put_content(3, bytes(600_000))))), "more than 500000 values"),
    "many lists": (
        model_def(*(attribute(put_content(1, put_content(3, bytes(300_000)))) * 2 for _ in range(1))),
        "more than 500000 values",
    ),
    "many empty operators": (model_def(*(put_text(1, f"{k:x}") for k in range(110_000))), "more operators or edges"),
    "many empty inputs": (model_def(put_text(1, "a") + put_text(5, "") * 450_000), "more operators or edges"),
    "many fields": (b"\x10\x00" * 600_000, "more than 500000 values"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_wrong_is_refused_with_its_offset(name: str) -> None:
    content, said = MODELS[name]
    with pytest.raises(InputError) as caught:
        read_model_def(Wire(content, "s.om, MODEL_DEF", 1000), "")
    assert said in caught.value.message
    found = re.match(r"s\.om, MODEL_DEF, offset (\d+): ", caught.value.message)
    assert found is not None
    assert 1000 <= int(found[1]) <= 1001 + len(content)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith(("many", "messages"))])
def test_a_model_that_wants_memory_or_time_gets_neither(name: str) -> None:
    content, _ = MODELS[name]
    tracemalloc.start()
    started = time.process_time()
    with pytest.raises(InputError):
        read_model_def(Wire(content, "s.om"), "")
    took, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * len(content) + 200_000_000
    assert took < 30


def as_tuple(value: object) -> tuple[object, ...]:
    assert isinstance(value, tuple)
    return value


def test_a_legal_model_that_unfolds_is_read_in_bounded_memory() -> None:
    """Operators with lists of numbers of one byte: decoded, eight times the file and more."""
    value = attribute(put_content(1, put_content(3, b"\x7f" * 9000)))
    content = model_def(*(put_text(1, f"n{k}") + value + put_number(21, k) for k in range(500)))
    tracemalloc.start()
    model = read_model_def(Wire(content, "s.om"), "")
    assert {len(as_tuple(node.attrs["key"])) for node in model.snapshot.graphs["g"].nodes} == {9000}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(content) > 4_500_000
    assert peak < 2 * len(content) + 50_000_000


def test_a_field_of_another_wire_type_is_left_aside() -> None:
    desc = put_number(3, 7) + put_number(1, 7) + put_number(4, 7)
    content = model_def(put_text(1, "a") + put_content(34, desc) + put_number(10 + 1, 7))
    node = read_model_def(Wire(content, "s.om"), "").snapshot.graphs["g"].nodes[0]
    assert (node.name, node.outputs) == ("a", 1)
    assert node.attrs == {
        "output_desc_dtype:0": "DT_UNDEFINED",
        "output_desc_layout:0": "",
        "output_desc_device_type:0": "",
    }


def test_more_tasks_than_the_size_allows_are_refused() -> None:
    with pytest.raises(InputError, match="more tasks than the size"):
        read_tasks(Wire(b"\x52\x00" * 110_000, "s.om"))


def test_a_store_with_a_length_past_its_end_is_refused() -> None:
    made = om_samples.static()
    content = bytearray(write_om(made))
    at = content.index(struct.pack("<I", 0x5D776EFD) + struct.pack("<II", 1, 4))
    content[at + 8 : at + 12] = struct.pack("<I", 0xFFFFFFF0)
    with pytest.raises(InputError, match=rf"s\.om, offset {at + 13}: 4294967280 bytes are promised, 4 are left"):
        parse_om(memoryview(content), "s.om")


def test_a_list_of_inputs_that_cannot_be_there_is_refused() -> None:
    made = om_samples.static()
    wrong = replace(made.models[0], inout=replace(made.models[0].inout, others=((0, b"\xff\xff\xff\xff"),)))
    with pytest.raises(InputError, match="4294967295 entries are promised, 0 bytes are left"):
        parse_om(memoryview(write_om(replace(made, models=(wrong,)))), "s.om")
