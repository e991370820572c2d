"""OM2 files, written and read; and zips that are made to hurt."""

import io
import json
import random
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import om_samples
import pytest

from getrace.cli import main
from getrace.dumps.om2 import Om2File, parse_om2, write_om2
from getrace.dumps.om_stores import Kernel
from getrace.errors import InputError

IN_CI, LONG = 1_500, 20_000


def sample() -> Om2File:
    root = om_samples.graphs().graphs["root"]
    lost = {"dst_index"}
    nodes = tuple(replace(node, attrs={k: v for k, v in node.attrs.items() if k not in lost}) for node in root.nodes)
    graphs = replace(om_samples.graphs(), graphs={**om_samples.graphs().graphs, "root": replace(root, nodes=nodes)})
    return Om2File(
        "net",
        graphs,
        {"inputs": [{"name": "x", "index": 0, "shape": [2, 3]}], "outputs": [], "name": "net", "work_size": 12},
        {"om2_version": "0", "model_num": "1", "atc_command": "atc --mode=0"},
        {"soc_version": "Ascend910B1", "raw": b"\0\1", "rows": ((1, 2), ())},
        "net",
        memoryview(bytes(512) + b"weights!"),
        {"c": (512, 8)},
        (Kernel("k_1", memoryview(b"\x7fELF")),),
    )


def test_a_file_comes_back_as_it_was_written() -> None:
    content = write_om2(sample())
    read = parse_om2(memoryview(content), "net.om2")
    assert read == sample()
    assert write_om2(read) == content


def test_weights_and_inputs_are_given() -> None:
    read = parse_om2(memoryview(write_om2(sample())), "net.om2")
    nodes = read.snapshot.graphs["root"].nodes
    assert bytes(read.weights(nodes[1]) or b"") == b"weights!"
    assert read.weights(nodes[2]) is None
    assert [row["name"] for row in read.inputs] == ["x"]
    assert read.outputs == []


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(given: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in given.items():
            file.writestr(name, content)
    return out.getvalue()


GRAPH = "net/data/model_0/debug/ge_visual_00000000_graph_0.json"


def changed(name: str, content: bytes) -> bytes:
    return packed({**members(write_om2(sample())), name: content})


def graph_json(model: object) -> bytes:
    return json.dumps({"format": "ge_visual_json", "format_version": 1, "model": model}).encode()


def overlapping() -> bytes:
    """A directory of ten megabytes, in a zip that holds one small member."""
    content = write_om2(sample())
    at = content.index(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    directory = content[at:end]
    many = directory * (10_000_000 // len(directory))
    tail = bytearray(content[end:])
    tail[8:12] = b"\xff\x7f\xff\x7f"
    tail[12:16] = len(many).to_bytes(4, "little")
    return content[:at] + many + bytes(tail)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "no zip": (lambda: b"PK\x03\x04" + bytes(100), "the zip is broken"),
    "no OM2": (lambda: packed({"a.txt": b""}), "no member ends in model_meta.json"),
    "no graph": (lambda: packed({"net/data/model_0/model_meta.json": b"{}"}), "there is no graph"),
    "a path upwards": (lambda: changed("net/../../etc/passwd", b"x"), "points outside of the file"),
    "an absolute path": (lambda: changed("/etc/passwd", b"x"), "points outside of the file"),
    "a path of Windows": (lambda: changed("..\\x", b"x").replace(b"../x", b"..\\x"), "points outside of the file"),
    "a bomb in the graph": (lambda: changed(GRAPH, b" " * 50_000_000), "bytes, more than"),
    "a bomb in the weights": (
        lambda: changed("net/data/constants/constant_0", bytes(300_000_000)),
        "bytes, more than",
    ),
    "a bomb in the kernels": (
        lambda: changed("net/data/kernels_npu_arch/k.o", bytes(300_000_000)),
        "bytes, more than",
    ),
    "a directory without end": (overlapping, "bytes for its directory"),
    "no JSON": (lambda: changed(GRAPH, b"{"), "is no JSON"),
    "another JSON": (lambda: changed(GRAPH, b"[]"), "the document is no object"),
    "deep JSON": (lambda: changed(GRAPH, b"[" * 1_000_000), "is no JSON"),
    "deep attributes": (
        lambda: changed(
            GRAPH, b'{"format":"ge_visual_json","model":{"graph":[{"attr":{"a":' + b"[" * 700 + b"]" * 700 + b"}}]}}"
        ),
        "",
    ),
    "a graph that is a number": (lambda: changed(GRAPH, graph_json({"graph": [1]})), "a graph is no object"),
    "a name that is a number": (lambda: changed(GRAPH, graph_json({"graph": [{"op": [{"name": 1}]}]})), "is no text"),
    "an attribute of no type": (
        lambda: changed(GRAPH, graph_json({"graph": [{"attr": {"a": {"type": "x"}}}]})),
        "has type 'x'",
    ),
    "constants outside": (
        lambda: changed(
            "net/data/constants/model_0_constants_config.json",
            b'{"consts":{"c":{"offset":513,"size":8,"op_name":"c"}}}',
        ),
        "constant 'c' does not lie in the weights, which have 520 bytes",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_that_is_made_to_hurt_is_refused(name: str) -> None:
    make, said = HOSTILE[name]
    content = make()
    tracemalloc.start()
    started = time.process_time()
    if said:
        with pytest.raises(InputError) as caught:
            parse_om2(memoryview(content), "net.om2")
        assert said in caught.value.message
        assert caught.value.message.startswith("net.om2: ")
    else:
        opens(content)
    took, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * len(content) + 200_000_000
    assert took < 10


def opens(content: bytes) -> bool:
    try:
        read = parse_om2(memoryview(content), "net.om2")
        for graph in read.snapshot.graphs.values():
            for node in graph.nodes:
                read.weights(node)
    except InputError as error:
        if "net.om2" not in error.message:
            raise
        return False
    return True


MANIFEST = "net/manifest.json"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(
            changed(MANIFEST, b'{"model_num": "3"}'),
            'n.om2: net/manifest.json says model_num "3"; GE writes "1", and one model is read',
            id="another number",
        ),
        pytest.param(
            changed(MANIFEST, b'{"model_num": 1}'),
            'n.om2: net/manifest.json says model_num 1; GE writes "1", and one model is read',
            id="a number that is no text",
        ),
        pytest.param(
            packed({name: each for name, each in members(write_om2(sample())).items() if name != MANIFEST}),
            "n.om2: there is no net/manifest.json, which GE writes",
            id="no manifest",
        ),
        pytest.param(
            changed("other/manifest.json", b"{}"),
            "n.om2: GE writes one folder; 'net' is read, not what lies beside it: other",
            id="two folders",
        ),
    ],
)
def test_what_ge_writes_otherwise_is_a_warning_and_no_more(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert parse_om2(memoryview(content), "n.om2").warnings == (said,)
    (tmp_path / "n.om2").write_bytes(content)
    assert main(["graph", str(tmp_path / "n.om2"), "-o", str(tmp_path / "n.dot")]) == 0
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("at", "new", "said"),
    [(22, b"\xff", "its checksum is another"), (2, b"\x01\xfe", "its own header gives it another name")],
)
def test_of_a_scratched_member_the_reason_is_told_without_raw_bytes(at: int, new: bytes, said: str) -> None:
    content = write_om2(sample())
    place = content.index(b"net/manifest.json") + at
    with pytest.raises(InputError) as caught:
        parse_om2(memoryview(content[:place] + new + content[place + len(new) :]), "net.om2")
    assert caught.value.message.endswith(f"'net/manifest.json' is broken: {said}")


def test_a_zip_that_is_cut_anywhere_is_refused() -> None:
    content = write_om2(sample())
    assert [size for size in range(len(content)) if opens(content[:size])] == []


def refused(number: int) -> int:
    """Mutate the container as often, and the graph in a sound container as often again."""
    source = random.Random(number)
    whole = write_om2(sample())
    parts = members(whole)
    count = 0
    for turn in range(number):
        changed_one = bytearray(whole if turn % 2 else parts[GRAPH])
        for _ in range(source.randint(1, 5)):
            changed_one[source.randrange(len(changed_one))] = source.choice(b'\0\xff"{}[],:019-tn')
        content = bytes(changed_one) if turn % 2 else packed({**parts, GRAPH: bytes(changed_one)}, zipfile.ZIP_STORED)
        count += not opens(content)
    return count


def test_mutated_files_are_read_or_refused() -> None:
    assert refused(IN_CI) > IN_CI // 4


@pytest.mark.long
def test_many_mutated_files_are_read_or_refused() -> None:
    assert refused(LONG) > LONG // 4
