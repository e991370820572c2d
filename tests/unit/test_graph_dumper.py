"""The dumper: which files it writes, what is in them, and that it never ends a run."""

import gzip
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from dump_graphs import execute_graph

from getrace.bus import Bus
from getrace.dumps.content import without_data
from getrace.dumps.dumper import GraphDumper
from getrace.dumps.formats import FORMATS, dumps_in, format_of_file, read_dump
from getrace.dumps.ge_proto import write_ge_proto
from getrace.dumps.level import Level
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.dumps.switches import DumpSwitches
from getrace.errors import InputError
from getrace.events import Level as LogLevel
from getrace.events import Origin
from getrace.events.graphs import GraphSeen
from getrace.events.markers import KernelEnd

ALL = ("ge_proto", "onnx", "readable")


def switches(folder: Path, **changes: object) -> DumpSwitches:
    return replace(DumpSwitches(Level.ALL, graph_path=str(folder), stages="AfterCEM"), **changes)  # type: ignore[arg-type]


def dump(wanted: DumpSwitches, *stages: str) -> list[str]:
    """Dump a graph at stages as process 7; gives what was warned of."""
    said: list[str] = []
    dumper = GraphDumper(wanted, said.append)
    for stage in stages:
        dumper.dump(replace(execute_graph(), stage=stage), 7)
    dumper.finish()
    return said


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_each_format_counts_its_own_files(tmp_path: Path) -> None:
    wanted = switches(tmp_path, formats=ALL, stages="AfterZeroCopy|AfterCEM_x")
    assert dump(wanted, "AfterZeroCopy", "Build", "AfterCEM_x") == []
    stem = "pid_7_deviceid_0/ge_"
    assert [name for name in files(tmp_path) if "sub_graph" not in name] == [
        f"{stem}onnx_00000000_graph_0_AfterZeroCopy.pbtxt",
        f"{stem}onnx_00000005_graph_0_AfterCEM_x.pbtxt",
        f"{stem}proto_00000000_graph_0_AfterZeroCopy.txt",
        f"{stem}proto_00000005_graph_0_AfterCEM_x.txt",
        f"{stem}readable_00000000_graph_0_AfterZeroCopy.txt",
        f"{stem}readable_00000005_graph_0_AfterCEM_x.txt",
    ]


def test_the_sub_graphs_of_an_execute_graph_are_stages_of_their_own(tmp_path: Path) -> None:
    dump(switches(tmp_path, formats=("ge_proto",)), "AfterCEM")
    found = [read_dump(path) for path in dumps_in(tmp_path)]
    assert [(snapshot.stage, snapshot.root, len(snapshot.graphs)) for snapshot in found] == [
        ("AfterCEM", "ROOT", 5),
        ("AfterCEM_sub_graph_0", "Init_4", 1),
        ("AfterCEM_sub_graph_1", "Main_30", 1),
        ("AfterCEM_sub_graph_2", "CondGraph_if_42", 1),
        ("AfterCEM_sub_graph_3", "then_graph_if_50", 1),
    ]


def test_at_level_one_they_are_left_out(tmp_path: Path) -> None:
    dump(switches(tmp_path, formats=("ge_proto",), stages="1"), "AfterCEM")
    assert files(tmp_path) == ["pid_7_deviceid_0/ge_proto_00000000_graph_0_AfterCEM.txt"]


def test_a_dump_is_for_its_owner_only_and_replaces_a_link_without_following_it(tmp_path: Path) -> None:
    folder = tmp_path / "pid_7_deviceid_0"
    folder.mkdir()
    precious = tmp_path / "precious"
    precious.write_text("mine")
    path = folder / "ge_proto_00000000_graph_0_AfterCEM.txt"
    path.symlink_to(precious)
    dump(switches(tmp_path, formats=("ge_proto",), stages="1"), "AfterCEM")
    assert precious.read_text() == "mine"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == write_ge_proto(execute_graph())


def test_files_beyond_the_number_or_the_size_are_not_written(tmp_path: Path) -> None:
    dump(switches(tmp_path / "few", formats=("ge_proto",), stages="1", max_files=1), "A", "B", "C")
    assert [name[-5:] for name in files(tmp_path / "few")] == ["A.txt", "B.txt"]
    dump(switches(tmp_path / "small", formats=("ge_proto", "readable"), stages="1", max_bytes=2_000), "A")
    assert [name[-25:] for name in files(tmp_path / "small")] == ["dable_00000000_graph_0_A.txt"[-25:]]


def test_an_unwritable_folder_is_warned_of_once_and_the_run_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    said = dump(switches(blocked, stages="1"), "A", "B", "C")
    assert said == [f"no graph is dumped: cannot write {blocked}/pid_7_deviceid_0: Not a directory"]


@pytest.mark.parametrize(
    ("stages", "seen", "said"),
    [
        (
            "AfterCME",
            ("A", "AfterCEM", "A"),
            ["DUMP_GRAPH_LEVEL=AfterCME matches no stage, so no graph is dumped; the stages were A, AfterCEM"],
        ),
        ("CEM", ("A", "AfterCEM"), []),
        ("AfterCME", (), []),
    ],
)
def test_a_level_that_chooses_no_stage_is_warned_of(
    tmp_path: Path, stages: str, seen: tuple[str, ...], said: list[str]
) -> None:
    assert dump(switches(tmp_path, stages=stages), *seen) == said


def test_warnings_of_the_switches_are_passed_on(tmp_path: Path) -> None:
    assert dump(switches(tmp_path, warnings=("odd",))) == ["odd"]


def test_it_is_a_sink_that_takes_graphs_and_the_number_of_the_process(tmp_path: Path) -> None:
    bus = Bus(now=lambda: 0)
    said: list[str] = []
    bus.subscribe(GraphDumper(switches(tmp_path, formats=("readable",), stages="1"), said.append))
    origin = Origin(4711, "p", 4711, "load")
    bus.publish(origin, LogLevel.INFO, None, GraphSeen(execute_graph()))
    bus.publish(origin, LogLevel.INFO, "k", KernelEnd())
    assert (said, bus.failures) == ([], [])
    assert files(tmp_path) == ["pid_4711_deviceid_0/ge_readable_00000000_graph_0_AfterCEM.txt"]


def test_below_level_one_constants_have_no_data() -> None:
    tensor: AttrValue = (("t", (("desc", (("dtype", "DT_FLOAT"),)), ("data", b"\x00"))),)
    nodes = (
        SnapshotNode(0, "bytes", "Const", attrs={"value": b"\x01", "is_string": False}),
        SnapshotNode(1, "tensor", "Constant", attrs={"value": tensor}),
        SnapshotNode(2, "other", "Add", attrs={"value": b"\x01"}),
    )
    given = GraphSnapshot("S", "g", {"g": SnapshotGraph("g", nodes, ())})
    assert without_data(given, Level.ALL) == given
    assert [dict(node.attrs) for node in without_data(given, Level.NO_DATA).graphs["g"].nodes] == [
        {"is_string": False},
        {"value": (("t", (("desc", (("dtype", "DT_FLOAT"),)),)),)},
        {"value": b"\x01"},
    ]


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("ge_proto_00000000_graph_0_Build.txt", b'graph("', "readable"),
        ("ge_readable_00000000_graph_0_Build.txt", b"graph {\n  op {\n", "ge_proto"),
        ("renamed.txt", b"graph {\n  node {\n", "onnx"),
        ("renamed.txt", b"ir_version: 6\n", "onnx"),
        ("renamed.txt", gzip.compress(b"ir_version: 6\n", mtime=0), "onnx"),
        ("ge_proto_00000000_graph_0_Build.txt", b"", "ge_proto"),
        ("ge_onnx_00000000_graph_-1_Build.pbtxt.gz", b"", "onnx"),
        ("ge_readable_00000_Build.txt", b"", "readable"),
        ("renamed.pbtxt", b"", "onnx"),
        ("renamed.txt", b'graph("main"):', "readable"),
        ("renamed.txt", b"graph {", "ge_proto"),
        ("renamed.pbtxt", b"graph {\n  op {", "ge_proto"),
    ],
)
def test_the_format_of_a_file_is_told_by_its_first_bytes_else_by_its_name(
    name: str, content: bytes, word: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert format_of_file(path).word == word


def test_of_several_formats_in_a_folder_the_one_that_says_most_is_read(tmp_path: Path) -> None:
    for row in FORMATS[1:]:
        (tmp_path / row.file_name(0, "A")).write_text(row.write(execute_graph(), Level.ALL))
    assert [path.name for path in dumps_in(tmp_path)] == ["ge_onnx_00000000_graph_0_A.pbtxt"]


def test_a_missing_dump_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.txt"):
        read_dump(tmp_path / "none.txt")


def test_a_long_stage_gives_a_name_that_a_file_can_have() -> None:
    assert [len(row.file_name(0, "a/b" * 200)) for row in FORMATS] == [254, 254, 254]
