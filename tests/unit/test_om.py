"""OM files of every kind, written and read; and what is refused, with its offset."""

import struct
from dataclasses import replace
from pathlib import Path

import om_samples
import pytest
from om_samples import SAMPLES

from getrace.cli import main
from getrace.dumps.om_file import parse_om, read_om
from getrace.dumps.om_names import NameTable, coded
from getrace.dumps.om_writer import write_om
from getrace.errors import InputError


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_comes_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    made = SAMPLES[name]()
    path = tmp_path / "sample.om"
    path.write_bytes(write_om(made))
    read = read_om(path)
    # A model that was written knows the partitions of its file, a made one those it was given.
    assert [replace(model, order=()) for model in read.models] == [replace(model, order=()) for model in made.models]
    assert (read.header, read.relation, read.variables, read.warnings) == (
        made.header,
        made.relation,
        made.variables,
        (),
    )
    assert [(sub.name, sub.type, sub.rest, sub.om is None) for sub in read.submodels] == [
        (sub.name, sub.type, sub.rest, sub.om is None) for sub in made.submodels
    ]
    assert write_om(read) == path.read_bytes()


def test_a_model_gives_weights_tasks_kernels_and_libraries() -> None:
    only = parse_om(memoryview(write_om(om_samples.static())), "sample.om").models[0]
    constant = only.snapshot.graphs["root"].nodes[1]
    assert bytes(only.weights(constant) or b"") == b"weights!"
    assert only.weights(only.snapshot.graphs["root"].nodes[2]) is None
    assert [(task.type_name, task.op_index, task.stream_id, task.kernel) for task in only.tasks] == [
        ("KERNEL", 2, 1, "add_kernel"),
        ("ALL_KERNEL", 2, 0, "add_handle"),
    ]
    assert [(kernel.name, bytes(kernel.content), kernel.store.name) for kernel in only.kernels] == [
        ("k", b"\x7fELF", "TBE_KERNELS"),
        ("own", b"bin", "CUSTOM_OPS"),
    ]
    assert [(lib.name, lib.vendor, lib.kind) for lib in only.libraries] == [("lib.so", "vendor", 1)]


def test_a_weight_outside_of_the_file_is_refused() -> None:
    made = replace(om_samples.model(), weights_data=memoryview(bytes(519)))
    with pytest.raises(InputError, match=r"the weight of 'c' lies at 512 with 8 bytes, the weights have 519"):
        made.weights(made.snapshot.graphs["root"].nodes[1])


def test_a_row_with_another_offset_is_a_warning_and_no_more() -> None:
    content = bytearray(write_om(om_samples.static()))
    content[256 + 8 + 8] = 7
    read = parse_om(memoryview(content), "sample.om")
    assert read.warnings == ("sample.om, offset 264: SO_BINS lies at 0, its row says 7",)
    assert read.models[0].name == "root"


@pytest.mark.parametrize(
    ("at", "new", "said"),
    [
        pytest.param(
            82,
            b"\x09",
            "s.om, offset 82: the header has model type 9, which GE has no name for; it is read as type 0",
            id="kind",
        ),
        pytest.param(
            264,
            struct.pack("<i", -5),
            "s.om, offset 264: GE has no partition of type -5; its 39 bytes are not read",
            id="negative partition",
        ),
    ],
)
def test_a_number_that_ge_has_no_name_for_is_a_warning_and_no_more(at: int, new: bytes, said: str) -> None:
    content = bytearray(write_om(om_samples.static()))
    content[at : at + len(new)] = new
    read = parse_om(memoryview(content), "s.om")
    assert read.warnings == (said,)
    assert read.models[0].name == "root"


@pytest.mark.parametrize(
    ("at", "new", "said"),
    [
        pytest.param(0, b"X", "offset 0: Invalid om file", id="magic"),
        pytest.param(8, b"\1", "offset 8: the header has version 0x20000001", id="version"),
        pytest.param(80, b"\1", "the model is encrypted", id="encrypted"),
        pytest.param(184, b"\1", "offset 184: Invalid om file. The header promises", id="length"),
        pytest.param(193, b"\1", "", id="dynamic with one model is fine"),
        pytest.param(156, b"\2", "do not get the complete model", id="more models"),
        pytest.param(156, struct.pack("<I", 0xFFFFFFFF), "offset 156: Invalid om file", id="many models"),
        pytest.param(256, struct.pack("<I", 0xFFFFFFFF), "offset 256: Invalid om file. A table of", id="many rows"),
        pytest.param(256, struct.pack("<I", 0), "offset 256: Invalid om file. A table of 0", id="no rows"),
        pytest.param(280, struct.pack("<Q", 1 << 63), "offset 264: do not get the complete model", id="large row"),
        pytest.param(264, b"\2", "a partition is there twice", id="twice"),
    ],
)
def test_a_wrong_field_of_the_header_is_named_with_its_offset(at: int, new: bytes, said: str) -> None:
    content = bytearray(write_om(om_samples.static()))
    content[at : at + len(new)] = new
    if not said:
        assert parse_om(memoryview(content), "s.om").models[0].name == "root"
        return
    with pytest.raises(InputError) as caught:
        parse_om(memoryview(content), "s.om")
    assert said in caught.value.message
    assert caught.value.hint


def test_the_length_of_a_bundle_is_held_against_the_whole_file() -> None:
    content = bytearray(write_om(om_samples.static()))
    content[82] = 5
    behind = len(content) - 256
    with pytest.raises(InputError, match=f"promises {behind} bytes, the file has {len(content)} in all"):
        parse_om(memoryview(content), "s.om")


def test_a_file_for_a_mobile_phone_is_refused() -> None:
    content = bytearray(write_om(om_samples.first()))
    content[82] = 4
    with pytest.raises(InputError, match="offset 82: this is a model of kind 4 for a mobile phone"):
        parse_om(memoryview(content), "s.om")


def test_bundles_in_bundles_end() -> None:
    made = om_samples.bundle()
    for _ in range(4):
        made = replace(made, submodels=(replace(made.submodels[0], om=made),))
    with pytest.raises(InputError, match="models are nested more than 4 deep"):
        parse_om(memoryview(write_om(made)), "s.om")


def test_a_file_that_is_too_short_is_told_in_the_words_of_ge(tmp_path: Path) -> None:
    path = tmp_path / "test.om"
    path.write_bytes(b"0123456789abcdef")
    with pytest.raises(InputError, match=r"Invalid om file\. The model data size 16 is smaller than 256\."):
        read_om(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"The model data size 0 is smaller than 256\."):
        read_om(path)
    with pytest.raises(InputError, match="cannot read"):
        read_om(tmp_path / "none.om")


@pytest.mark.parametrize(("index", "key"), [(0, "\0\1"), (126, "\0\x7f"), (127, "\0\1\2"), (16129, "\0\1\1\2")])
def test_a_coded_name_is_base_127_with_the_last_digit_first(index: int, key: str) -> None:
    assert coded(index) == key
    table = NameTable(tuple(f"n{number}" for number in range(index + 1)), ("zero", "one"), (False,) * index + (True,))
    assert table.decode(key, 1) == (f"n{index}", "one")
    assert table.decode(key, (0, 1)) == (f"n{index}", ("zero", "one"))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("\0\3", 0, "a coded name is number 2 of a dictionary of 2"),
        ("\0", 0, "a coded name is no number"),
        ("\0\1", 5, "'name' is value 5 of a dictionary of 1"),
        ("\0\2", 0, "number 1 of the dictionary of names is no name"),
    ],
)
def test_a_code_that_is_in_no_dictionary_is_refused(key: str, value: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        NameTable(("name", "\0\1"), ("only",), (True, False)).decode(key, value)


def test_an_attribute_that_ge_has_no_field_for_is_refused_with_its_node() -> None:
    made = om_samples.model()
    root = made.snapshot.graphs["root"]
    for value in ((("a",), ("b",)), 1 << 64, (1, (2,)), 1e300):
        nodes = (replace(root.nodes[0], attrs={"odd": value}), *root.nodes[1:])
        graphs = {**made.snapshot.graphs, "root": replace(root, nodes=nodes)}
        wrong = replace(made, snapshot=replace(made.snapshot, graphs=graphs))
        with pytest.raises(InputError, match="node 'x' cannot be written to an OM: attribute 'odd'"):
            write_om(replace(om_samples.static(), models=(wrong,)))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_draws_the_graph_of_a_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sample.om"
    path.write_bytes(write_om(SAMPLES[name]()))
    assert main(["graph", str(path), "-o", str(tmp_path / "out.dot")]) == 0
    assert "a:b/add" in (tmp_path / "out.dot").read_text(encoding="utf-8")
    path.write_bytes(path.read_bytes()[:-1])
    capsys.readouterr()
    assert main(["graph", str(path), "-o", str(tmp_path / "out.dot")]) == 3
    assert "Invalid om file. The header promises" in capsys.readouterr().err


def test_the_command_warns_of_a_row_with_another_offset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = bytearray(write_om(om_samples.static()))
    content[256 + 8 + 8] = 7
    path = tmp_path / "sample.om"
    path.write_bytes(content)
    assert main(["graph", str(path), "-o", str(tmp_path / "out.dot")]) == 0
    assert "sample.om, offset 264: SO_BINS lies at 0, its row says 7" in capsys.readouterr().err


def test_of_a_bundle_with_two_models_of_one_name_each_is_drawn_by_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "b.om", tmp_path / "out.dot"
    path.write_bytes(write_om(om_samples.bundle()))
    assert main(["graph", str(path), "-o", str(out)]) == 0
    said = "the file holds 2 inner models; the first is taken; --inner NAME draws one: 1. root, 2. root"
    assert said in capsys.readouterr().err
    assert main(["graph", str(path), "--inner", "2", "-o", str(out)]) == 0
    assert main(["graph", str(path), "--inner", "3", "-o", str(out)]) == 2
