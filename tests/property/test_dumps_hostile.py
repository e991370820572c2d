"""Text dumps that are cut, mutated or made to hurt: a sentence with the line, in bounded time and memory."""

import gzip
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dump_graphs import execute_graph
from hostile_dumps import SMALL, Hostile, large
from process_peak import PEAK

from getrace.cli import main
from getrace.dumps import ge_onnx, ge_proto, ge_readable
from getrace.dumps.dump_file import read_text
from getrace.dumps.ge_onnx import write_ge_onnx
from getrace.dumps.ge_proto import write_ge_proto
from getrace.dumps.ge_readable import write_ge_readable
from getrace.dumps.graph_json import parse_graph_json
from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.dumps.text_proto import Syntax
from getrace.dumps.text_source import MemoryText
from getrace.errors import InputError

IN_EVERY_RUN, LONG = 600, 20_000
"""Mutations of each way to read; OM and ONNX files have theirs, which make the 20,000 of every run."""

JSON_TEXT = (
    '{"name":"m","version":1,"attr":[{"key":"k","value":{"i":1}}],"graph":[{"name":"g","op":[{"name":"a","type":"Data",'
    '"attr":[{"key":"index","value":{"i":0}},{"key":"f","value":{"f":"0.5"}},{"key":"l","value":{"list":{"s":["x","\\\\001"'
    '],"val_type":"VT_LIST_STRING"}}}],"output_desc":[{"dtype":"DT_FLOAT","layout":"ND","shape":{"dim":[2,-1]}}]},{"name":'
    '"b","type":"Relu","id":1,"input":["a:0","a:-1"],"input_desc":[{"dtype":"DT_FLOAT"}],"attr":[{"key":"n","value":null}]}]}]}'
)


PAIR = GraphSnapshot(
    "S",
    "g",
    {
        "g": SnapshotGraph(
            "g",
            (
                SnapshotNode(0, "a", "Data", 0, 1, {"index": 0, "k": ("x",)}),
                SnapshotNode(1, "b", "Relu", 1, 1, {}, (), 1),
            ),
            (SnapshotEdge(0, 0, 1, 0), SnapshotEdge(0, CONTROL, 1, CONTROL)),
        )
    },
)
"""Two nodes: ge_onnx has four kilobytes for each."""


def _text(module: object, text: str, small: int) -> tuple[bytes, Callable[[bytes], GraphSnapshot]]:
    reader = module.READER  # type: ignore[attr-defined] # each of the three modules has one

    def read(content: bytes) -> GraphSnapshot:
        return read_text(MemoryText(content), "S", Syntax("broken", reader.format), reader, small=small)

    return text.encode(), read


WAYS = {
    "ge_proto": _text(ge_proto, write_ge_proto(execute_graph()), 1 << 30),
    "ge_proto by outline": _text(ge_proto, write_ge_proto(execute_graph()), 0),
    "ge_onnx": _text(ge_onnx, write_ge_onnx(PAIR), 1 << 30),
    "ge_onnx by outline": _text(ge_onnx, write_ge_onnx(PAIR), 0),
    "ge_readable": _text(ge_readable, write_ge_readable(execute_graph()), 1 << 30),
    "JSON": (JSON_TEXT.encode(), lambda content: parse_graph_json(content, "broken")),
}
"""Every way to read a text: one that can be read, and its reader."""

_PLACE = re.compile(r"broken(, line \d+:|, operator \d+:|: .*\(char \d+\)|: [a-z])")


def everything(read: Callable[[bytes], GraphSnapshot], content: bytes) -> None:
    """Read a text and look at all its attributes."""
    for graph in read(content).graphs.values():
        dict(graph.attrs)
        for node in graph.nodes:
            dict(node.attrs)


def is_read(read: Callable[[bytes], GraphSnapshot], content: bytes) -> bool:
    """Whether a text is read, attributes and all; when it is not, the sentence says where and what next."""
    try:
        everything(read, content)
    except InputError as error:
        if not _PLACE.match(error.message) or not error.hint:
            raise
        return False
    return True


@pytest.mark.parametrize("way", WAYS)
def test_a_text_that_is_cut_anywhere_is_a_graph_or_a_sentence(way: str) -> None:
    content, read = WAYS[way]
    assert is_read(read, content)
    # An outline is made of large files only; of small ones it is slow.
    step = 5 if "outline" in way else 1
    whole = [size for size in range(0, len(content), step) if is_read(read, content[:size])]
    # What can be read ends with a message, or a line of the readable form.
    ends = {"ge_readable": (b")", b":")}.get(way, (b"}",))
    assert [size for size in whole if not content[:size].rstrip().endswith(ends)] == []
    assert len(whole) < len(content) / 10


_WORDS = (
    b"{",
    b"}",
    b'"',
    b"\\",
    b"\n",
    b":",
    b"-1",
    b"999999999999",
    b"\xff",
    b"\0",
    b"graph {\n",
    b"  }\n",
    b"input: ",
    b"%",
)


def mutations(content: bytes, seed: int, count: int) -> Iterator[bytes]:
    """Change bytes, take and double pieces and lines, put in words that matter to a reader."""
    source = random.Random(seed)
    for _ in range(count):
        changed = bytearray(content)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(changed))
            match source.randrange(5):
                case 0:
                    changed[at] = source.randrange(256)
                case 1:
                    changed[at:at] = source.choice(_WORDS)
                case 2:
                    del changed[at : at + source.randint(1, 60)]
                case 3:
                    changed[at:at] = changed[source.randrange(len(changed)) :][: source.randint(1, 200)]
                case _:
                    end = changed.find(b"\n", at) + 1
                    changed[at:end] = changed[at:end] * source.randint(0, 2)
            changed = changed or bytearray(b"{")
        yield bytes(changed)


def refused(way: str, count: int) -> int:
    content, read = WAYS[way]
    return sum(not is_read(read, changed) for changed in mutations(content, 11, count))


@pytest.mark.parametrize("way", WAYS)
def test_a_mutated_text_is_a_graph_or_a_sentence(way: str) -> None:
    assert IN_EVERY_RUN // 5 < refused(way, IN_EVERY_RUN) < IN_EVERY_RUN


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_many_mutated_texts_are_graphs_or_sentences(way: str) -> None:
    assert LONG // 5 < refused(way, LONG) < LONG


@pytest.mark.parametrize("name", SMALL)
def test_what_is_wrong_is_named_with_its_line(name: str) -> None:
    kind, text, said = SMALL[name]
    for way, (_, read) in WAYS.items():
        if way.startswith(kind):
            with pytest.raises(InputError) as found:
                everything(read, text.encode())
            assert said in found.value.message
            assert found.value.exit_code == 3


COMMAND = f"""{PEAK}
import sys
from getrace.cli import main
code = main(sys.argv[1:])
print(code, peak())
"""


def write(folder: Path, made: Hostile) -> Path:
    path = folder / made.name
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        file.writelines(made.pieces)
    return path


@pytest.mark.parametrize("made", large(), ids=lambda made: made.name)
def test_a_text_that_wants_memory_or_time_gets_neither(tmp_path: Path, made: Hostile) -> None:
    path = write(tmp_path, made)
    command = [sys.executable, "-c", COMMAND, "graph", str(path), "-o", str(tmp_path / "g.svg")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    code, peak = map(int, run.stdout.split()[-2:])
    assert made.said in run.stderr
    assert code == 3
    assert peak < 2 * path.stat().st_size + 200_000_000


OPTIONS = {"graph": ["-o", "never.svg"], "lower": []}


@pytest.mark.parametrize("verb", OPTIONS)
def test_the_command_line_says_line_and_what_next(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ge_proto_00000000_graph_1_Build.txt"
    path.write_text('graph {\n  name: "g"\n  op {\n    name: "a"\n', encoding="ascii")
    assert main([verb, str(path), *OPTIONS[verb]]) == 3
    said = capsys.readouterr().err
    assert "line 4: the text ends inside 'op', which starts on line 3" in said
    assert "the file is cut" in said
