"""Files that are nearly a graph's: the sentence says what is wrong with them, not what else they look like."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.dumps.ge_proto import parse_ge_proto
from getrace.errors import InputError, ModelError
from runtime.engines.builtin import builtin_converters
from runtime.graph.compute_graph import ComputeGraph, OpDesc

Capture = pytest.CaptureFixture[str]

DUMP = b"""graph {
  name: "g"
  op {
    name: "a"
    type: "Data"
  }
}
"""
LAYOUT = "is not laid out as GE does it: one field a line"


def om2_behind(before: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("net/data/model_0/model_meta.json", "{}")
    return before + out.getvalue()


ARCHIVES: dict[str, tuple[str, bytes, str]] = {
    "cut": ("a.txt.gz", gzip.compress(DUMP)[:-12], "is a broken gzip file"),
    "scratched": ("a.txt.gz", gzip.compress(DUMP)[:11] + b"\xff" * 40, "is a broken gzip file"),
    "gzip in gzip": ("a.txt.gz", gzip.compress(gzip.compress(DUMP)), "is a gzip file inside a gzip file"),
    "zip behind other bytes": ("a.om2", om2_behind(b"\0" * 16), "a zip archive begins at offset 16; an OM2 begins"),
}


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("verb", [("graph", "-o", "g.dot"), ("lower",), ("run", "--no-tui")])
def test_of_a_broken_archive_the_real_reason_is_told(
    name: str, verb: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    file, content, said = ARCHIVES[name]
    (tmp_path / file).write_bytes(content)
    assert main([verb[0], str(tmp_path / file), *verb[1:]]) == 3
    err = capsys.readouterr().err
    assert said in err
    assert "plog" not in err


LAYOUTS: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "one line": (lambda text: text.replace(b"\n", b" "), 1),
    "angles": (lambda text: text.replace(b"{", b"<").replace(b"}", b">"), 1),
    "a colon before a brace": (lambda text: text.replace(b"op {", b"op: {"), 3),
    "two fields a line": (lambda text: text.replace(b'"a"\n   ', b'"a"'), 4),
    "two braces a line": (lambda text: text.replace(b"  }\n}", b"  }}"), 6),
    "other quotes": (lambda text: text.replace(b'"Data"', b"'Data'"), 5),
    "a list": (lambda text: text.replace(b"    type", b'    input: ["x:0"]\n    type'), 5),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_that_ge_does_not_write_is_called_that(name: str) -> None:
    change, line = LAYOUTS[name]
    with pytest.raises(InputError) as caught:
        parse_ge_proto(change(DUMP), "", "g.txt")
    assert caught.value.message.startswith(f"g.txt, line {line}: ")
    assert LAYOUT in caught.value.message


@pytest.mark.parametrize("text", [b"hello", b"int main() {", b'name "a"', b"}", b"-> x"])
def test_what_is_no_field_in_any_layout_is_called_no_dump(text: bytes) -> None:
    with pytest.raises(InputError) as caught:
        parse_ge_proto(text, "", "g.txt")
    assert LAYOUT not in caught.value.message
    assert caught.value.hint == "the file is cut or is not a ge_proto dump"


@pytest.mark.parametrize(
    "text",
    [b"# made by hand\n" + DUMP, DUMP.replace(b"    type", b'    # name: "b" {\n    type'), DUMP + b"# the end {"],
)
def test_a_line_of_comment_is_no_field(text: bytes) -> None:
    graphs = parse_ge_proto(text, "", "g.txt").graphs
    assert [(node.name, node.type) for node in graphs["g"].nodes] == [("a", "Data")]


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("AIcoreEngin", "near names are AIcoreEngine, VectorEngine, DSAEngine; all "),
        ("??", "engines are AIcoreEngine, VectorEngine, AclnnLoweringFunc and others; all "),
    ],
)
def test_for_an_unknown_engine_only_near_names_are_given(engine: str, said: str) -> None:
    node = ComputeGraph("g").add(OpDesc("n", "Relu", engine=engine))
    with pytest.raises(ModelError, match="Failed to find the converter for node n type Relu") as caught:
        builtin_converters().find(node)
    hint = caught.value.hint
    assert said in hint
    assert len(hint) < 200
