"""Large text dumps: the outline gives what reading all of it gives, and is refused where that is refused."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from dump_graphs import execute_graph, graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from large_dumps import proto_lines

from getrace.dumps import ge_onnx, ge_proto, text_outline
from getrace.dumps.dump_file import MAX_WHOLE, SMALL, Reader, read_text
from getrace.dumps.ge_onnx import write_ge_onnx
from getrace.dumps.ge_proto import read_ge_proto, write_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.text_outline import Mark, outline
from getrace.dumps.text_proto import Syntax
from getrace.dumps.text_source import FileText, MemoryText, text_of_file
from getrace.errors import InputError

PROTO, ONNX = ge_proto.READER, ge_onnx.READER
WRITERS: dict[str, Callable[[GraphSnapshot], str]] = {"ge_proto": write_ge_proto, "ge_onnx": write_ge_onnx}


def whole(text: str | bytes, reader: Reader) -> GraphSnapshot:
    content = text.encode() if isinstance(text, str) else text
    return read_text(MemoryText(content), "S", Syntax("dump", reader.format), reader, small=len(content))


def by_outline(text: str | bytes, reader: Reader) -> GraphSnapshot:
    content = text.encode() if isinstance(text, str) else text
    assert reader.outline is not None
    return reader.outline(Syntax("dump", reader.format), MemoryText(content), "S")


@pytest.mark.parametrize("reader", [PROTO, ONNX], ids=lambda reader: str(reader.format))
def test_an_execute_graph_with_sub_graphs_is_the_same_both_ways(reader: Reader) -> None:
    text = WRITERS[reader.format](execute_graph())
    assert by_outline(text, reader) == whole(text, reader)


@pytest.mark.parametrize("reader", [PROTO, ONNX], ids=lambda reader: str(reader.format))
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_graph_is_the_same_both_ways(reader: Reader, data: st.DataObject) -> None:
    text = WRITERS[reader.format](data.draw(graphs(st.just({"x": (1, 2), "y": 'a "{\n}', "z": 0.5}))))
    assert by_outline(text, reader) == whole(text, reader)


@pytest.mark.real
@pytest.mark.parametrize(
    ("number", "reader"),
    [("03", ONNX), ("04", ONNX), ("05", PROTO), ("06", PROTO), ("118", PROTO), ("120", PROTO), ("26", PROTO)],
)
def test_real_dumps_are_the_same_both_ways(cases: Path, number: str, reader: Reader) -> None:
    (path,) = (cases / "real").glob(f"{number}-*")
    content = path.read_bytes()
    assert by_outline(content, reader) == whole(content, reader)


@pytest.mark.real
@pytest.mark.parametrize(("kind", "reader"), [("ge_proto", PROTO), ("ge_onnx", ONNX)])
def test_dumps_of_the_reference_are_the_same_both_ways(cases: Path, kind: str, reader: Reader) -> None:
    paths = sorted((cases / "truth" / "dumps").glob(f"*/{kind}_*.gz"))
    chosen = [path for path in paths if path.stat().st_size < 20_000][:: max(1, len(paths) // 25)]
    assert len(chosen) >= 15
    for path in chosen:
        content = gzip.decompress(path.read_bytes())
        assert by_outline(content, reader) == whole(content, reader), path.name


def test_blocks_may_end_at_any_line(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {reader.format: whole(WRITERS[reader.format](execute_graph()), reader) for reader in (PROTO, ONNX)}
    for block in (1, 7, 61, 307, 1000):
        monkeypatch.setattr(text_outline, "BLOCK", block)
        for reader in (PROTO, ONNX):
            assert by_outline(WRITERS[reader.format](execute_graph()), reader) == expected[reader.format]


def test_a_large_file_keeps_its_attributes_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "ge_proto_00000000_graph_1_Build.txt"
    path.write_text("".join(proto_lines(2 * SMALL, graphs=2)), encoding="ascii")
    snapshot = read_ge_proto(path)
    assert (snapshot.stage, snapshot.root, list(snapshot.graphs)) == ("Build", "g0", ["g0", "g1"])
    node = snapshot.graphs["g1"].nodes[1000]
    assert (node.name, node.type, node.inputs, node.outputs, node.topo_id) == ("n1_1000", "Add", 2, 1, 1000)
    assert node.attrs["_kernelname"] == "value 1000 of _kernelname"
    assert node.attrs["output_desc_shape:0"] == (32, 1000)
    assert dict(snapshot.graphs["g1"].attrs) == {"graph_number": 1}
    path.write_text("something else", encoding="ascii")
    with pytest.raises(InputError, match="was changed while it was read"):
        dict(snapshot.graphs["g0"].nodes[5].attrs)


def test_an_attribute_that_cannot_be_read_names_its_line_when_it_is_looked_at() -> None:
    text = "".join(proto_lines(4000)).replace('value 1 of _kernelname"', "value 1 of _kernelname")
    line = text[: text.index("value 1 of _kernelname\n")].count("\n") + 1
    node = by_outline(text, PROTO).graphs["g0"].nodes[1]
    with pytest.raises(InputError, match=f"dump, line {line}: 's' is not a quoted text"):
        dict(node.attrs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n    id: 1", "\n   id: 1"),
        ("\n    id: 1", "\n     id: 1"),
        ("\n    id: 1", "\n\n    id: 1"),
        ("\n    id: 1", "\r\n    id: 1"),
        ("\n  op {", "\n  op{"),
        ("\n    id: 1", "\n  }\n}\n}\n    id: 1"),
        ("\n    id: 1", "\n    x {\n    id: 1"),
        ("\n    id: 1", "\n\tid: 1"),
    ],
)
def test_another_layout_is_read_whole_or_refused_as_there(old: str, new: str) -> None:
    text = "".join(proto_lines(4000)).replace(old, new, 1)
    results = []
    for small in (0, len(text)):
        try:
            results.append(repr(read_text(MemoryText(text.encode()), "S", Syntax("dump"), PROTO, small=small)))
        except InputError as error:
            results.append(error.message)
    assert results[0] == results[1]


def test_a_large_text_of_another_layout_is_refused_with_its_line() -> None:
    text = "graph {\n" + "  op {\n    x: 1\n  }\n" * 10 + "   op {\n" + "  op {\n    x: 1\n  }\n" * (MAX_WHOLE // 18)
    with pytest.raises(InputError, match="dump, line 32: the line is not indented as GE does it") as found:
        read_text(MemoryText(text.encode()), "S", Syntax("dump"), PROTO)
    assert found.value.exit_code == 3


def test_the_value_below_a_name_is_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_outline, "BLOCK", 8)
    path = tmp_path / "t"
    path.write_text("a {\n  name: 12345\n  i: 7\n}\n", encoding="ascii")
    ((name, _, text, line),) = outline(FileText(path), [Mark(1, b"name: 12", 5, b"345")])
    assert (name, text, line) == (5, b"i: 7", 3)


def test_a_packed_text_is_unpacked_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ge_proto_00000000_Build.txt.gz"
    path.write_bytes(gzip.compress(bytes(3 << 20)))
    monkeypatch.setattr("getrace.dumps.text_source.MAX_UNPACKED", 1 << 20)
    with pytest.raises(InputError, match="holds more than 1 MiB when unpacked"):
        text_of_file(path)
