"""The ONNX reader finds what protobuf finds, says where a file is broken, and opens nothing outside its folder."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx_models import INT64, model, one

from getrace.dumps import onnx_reader, packed_numbers
from getrace.dumps.onnx_elements import element_bytes, external_offset, external_path
from getrace.dumps.onnx_model import OnnxGraph, OnnxTensor
from getrace.dumps.onnx_reader import is_onnx, parse_onnx
from getrace.dumps.onnx_snapshot import snapshot_of_onnx
from getrace.dumps.wire import put_content, put_number, put_text, varint
from getrace.errors import InputError

EVERY_ATTRIBUTE: dict[str, Any] = {
    "f": 0.5,
    "i": -3,
    "s": "text",
    "fs": [1.0, 2.5],
    "is_": [1, -2, 1 << 40],
    "ss": ["a", "b"],
    "t": numpy_helper.from_array(np.arange(3), "t"),
    "g": helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "inner", [], []),
}


def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, OnnxGraph):
        return found.name == wanted.name and len(found.nodes) == len(wanted.node)
    if isinstance(found, OnnxTensor):
        return element_bytes(found, None) == numpy_helper.to_array(wanted).tobytes()
    if isinstance(wanted, bytes):
        return bool(found == wanted.decode())
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(same(one, two) for one, two in zip(found, wanted, strict=True))
    return bool(found == wanted)


def test_every_kind_of_attribute_is_what_protobuf_reads() -> None:
    node = helper.make_node("Any", ["x", ""], ["y"], name="n", domain="somewhere", **EVERY_ATTRIBUTE)
    made = model([node], {"x": [2]}, ["y"])
    found = parse_onnx(made.SerializeToString(), "made").graph.nodes[0]
    assert (found.op_type, found.name, found.domain) == ("Any", "n", "somewhere")
    assert (found.inputs, found.outputs) == (("x", ""), ("y",))
    assert set(found.attrs) == set(EVERY_ATTRIBUTE)
    for attr in node.attribute:
        wanted = helper.get_attribute_value(attr)
        assert same(found.attrs[attr.name], list(wanted) if isinstance(found.attrs[attr.name], tuple) else wanted)


TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16")


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("raw", [True, False])
def test_elements_are_the_same_in_both_forms(kind: str, raw: bool) -> None:
    array = np.array([[0, 1, 2], [3, 100, 5]]).astype(kind)
    dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
    content = array.tobytes() if raw else array.reshape(-1)
    tensor = helper.make_tensor("t", dtype, array.shape, content, raw=raw)
    graph = helper.make_graph([], "g", [], [], [tensor])
    found = parse_onnx(helper.make_model(graph).SerializeToString(), "made").graph.initializers[0]
    assert (found.dims, element_bytes(found, None)) == ((2, 3), array.tobytes())


def test_negative_numbers_in_a_typed_list_keep_their_sign() -> None:
    tensor = helper.make_tensor("t", INT64, [3], [-1, 1 << 62, -(1 << 63)])
    graph = helper.make_graph([], "g", [], [], [tensor])
    found = parse_onnx(helper.make_model(graph).SerializeToString(), "made").graph.initializers[0]
    assert struct.unpack("<3q", element_bytes(found, None)) == (-1, 1 << 62, -(1 << 63))


def test_a_list_of_packed_numbers_is_unpacked_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_numbers, "STEP", 16)
    numbers = [0, 1, 127, 128, 300, 1 << 40, (1 << 64) - 1] * 9
    content = memoryview(b"".join(map(varint, numbers)))
    assert packed_numbers.count_packed(content) == 63
    assert packed_numbers.unpack(content, 63, "<u8").tolist() == numbers
    with pytest.raises(ValueError, match="more than 64 bits"):
        packed_numbers.unpack(memoryview(b"\xff" * 17 + b"\0"), 1, "<u8")
    with pytest.raises(ValueError, match="inside a number"):
        packed_numbers.count_packed(memoryview(b"\x80"))


def test_values_say_their_type_and_open_dimensions() -> None:
    found = parse_onnx(one("Relu", {"x": ["batch", 3, None]}).SerializeToString(), "made").graph
    assert (found.inputs[0].name, found.inputs[0].dtype, found.inputs[0].dims) == ("x", 1, (-1, 3, -1))
    assert found.outputs[0].dims is None


def test_content_tells_an_onnx_model_from_other_files() -> None:
    assert is_onnx(one("Relu", {"x": [2]}).SerializeToString()[:40])
    others = (b"", b"IMOD" + bytes(300), b"PK\x03\x04", b'name: "g"\n', b"{}", b"\x08\x01", b"\x0a\x00", b"\xff" * 64)
    assert not any(is_onnx(other) for other in others)


def refusal(content: bytes) -> str:
    """Give what is said of a broken file, "" when it can be read."""
    try:
        parse_onnx(content, "cut.onnx")
    except InputError as error:
        return error.message
    return ""


def test_a_file_cut_anywhere_is_refused_with_the_offset_or_read_as_what_is_left() -> None:
    content = one("Conv", {"x": [1, 1, 4, 4]}, weights={"w": np.ones((1, 1, 2, 2), np.float32)}).SerializeToString()
    for size in range(len(content)):
        said = refusal(content[:size])
        assert not said or said.startswith("cut.onnx, offset ")
    assert refusal(content[:-1]) != ""
    assert refusal(content) == ""


def external(location: str, **more: str) -> OnnxTensor:
    return OnnxTensor("w", (2,), 1, external={"location": location, **more})


@pytest.mark.parametrize("location", ["../secret.bin", "/etc/passwd", "a/../../secret.bin", "", "a\0b", "missing.bin"])
def test_elements_are_read_in_the_models_folder_only(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(8))
    with pytest.raises(InputError, match="tensor 'w'"):
        element_bytes(external(location), folder)


def test_a_link_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(8))
    (folder / "w.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(InputError, match="outside the model's folder"):
        element_bytes(external("w.bin"), folder)


def test_elements_in_another_file_lie_where_the_model_says(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"0123" + np.array([1, 2], np.float32).tobytes())
    assert element_bytes(external("w.bin", offset="4", length="8"), tmp_path) == np.array([1, 2], "<f4").tobytes()
    with pytest.raises(InputError, match="ends at byte 13"):
        element_bytes(external("w.bin", offset="5"), tmp_path)
    with pytest.raises(InputError, match="no number"):
        element_bytes(external("w.bin", offset="-1"), tmp_path)
    with pytest.raises(InputError, match="has the offset 'zz' in another file, which is no number"):
        external_offset(external("w.bin", offset="zz"))


def test_a_name_that_no_file_can_have_is_a_sentence_that_fits(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which is no path: File name too long") as caught:
        external_path(external("a" * 5000), tmp_path)
    assert len(caught.value.message) < 200


def test_many_empty_messages_are_refused_before_they_fill_memory() -> None:
    graph = put_content(7, b"\x0a\x00" * (onnx_reader.MAX_NODES + 1))
    with pytest.raises(InputError, match="more than 100000 nodes"):
        parse_onnx(put_number(1, 8) + graph, "many.onnx")
    names = put_content(7, put_content(1, b"\x0a\x00" * (onnx_reader.MAX_VALUES + 1)))
    with pytest.raises(InputError, match="more than 1000000 fields"):
        parse_onnx(put_number(1, 8) + names, "many.onnx")


def test_graphs_inside_graphs_have_a_limit() -> None:
    graph = put_text(2, "innermost")
    for _ in range(40):
        attr = put_text(1, "then_branch") + put_number(20, 5) + put_content(6, graph)
        graph = put_content(1, put_text(4, "If") + put_content(5, attr))
    with pytest.raises(InputError, match="32 deep"):
        parse_onnx(put_number(1, 8) + put_content(7, graph), "deep.onnx")


def test_a_tensor_that_promises_too_much_is_refused_without_making_it() -> None:
    tensor = OnnxTensor("w", (1 << 50, 1 << 50), 1, raw=memoryview(b""))
    with pytest.raises(InputError, match="elements"):
        element_bytes(tensor, None)
    short = OnnxTensor("w", (1 << 30,), 1, raw=memoryview(bytes(4)))
    with pytest.raises(InputError, match="has 4 bytes, its shape needs 4294967296"):
        element_bytes(short, None)


def test_a_snapshot_shows_the_model_in_its_own_words() -> None:
    made = one("Attention", {"q": [2, 3, 4]}, weights={"k": np.ones((2, 3, 4), np.float32)}, opset=23)
    snapshot = snapshot_of_onnx(parse_onnx(made.SerializeToString(), "made"))
    graph = snapshot.graphs[snapshot.root]
    assert [(node.name, node.type) for node in graph.nodes] == [
        ("q", "Input"),
        ("k", "Initializer"),
        ("n", "Attention"),
        ("y0 (output)", "Output"),
    ]
    assert [(edge.source, edge.target, edge.target_input) for edge in graph.edges] == [(0, 2, 0), (1, 2, 1), (2, 3, 0)]


def test_protobuf_and_the_reader_agree_on_counts() -> None:
    made = one("Conv", {"x": [1, 1, 4, 4]}, weights={"w": np.ones((1, 1, 2, 2), np.float32)})
    parsed = onnx.load_model_from_string(made.SerializeToString())
    found = parse_onnx(made.SerializeToString(), "made")
    assert found.opsets == {"ai.onnx": parsed.opset_import[0].version}
    assert (found.ir_version, len(found.graph.nodes), len(found.graph.initializers)) == (parsed.ir_version, 1, 1)
