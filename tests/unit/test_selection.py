"""Selection: which records a verb is asked about, while a log is read and afterwards, and what is said of the rest."""

import json
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.clock import parse_time
from getrace.errors import InputError
from getrace.replay import open_store
from getrace.store.selection import Selection

Capture = pytest.CaptureFixture[str]

SECOND = "2026-03-05-10:11:12"
BASE = parse_time(SECOND)


def line(micros: int, text: str, pid: int = 1) -> str:
    return f"[INFO] GE({pid},p):{SECOND}.000.{micros:03d} [a.cc:1]5 F:{text}"


def trace(micros: int, name: str, text: str = "", pid: int = 1) -> str:
    return line(micros, f"[KernelTrace][{name}]{text}", pid)


def alloc(micros: int, name: str, stream: int) -> str:
    block = f"stream {stream}, block 0x1{micros}, address 0x2{micros}, size 512, tensor size 8, index 0"
    return trace(micros, name, f"[MEM]Alloc memory at {block}")


def step(first: int) -> list[str]:
    """Give one run of a main graph: ten microseconds, two operators on two streams."""
    return [
        line(first, "[KernelTrace] Start model tracing."),
        alloc(first + 1, "AllocMemHbm_add1_3", 0),
        trace(first + 2, "AllocMemHbm_add1_3"),
        alloc(first + 3, "AllocMemHbm_mul_7", 1),
        trace(first + 4, "InferShape_mul_9"),
        line(first + 5, "[KernelTrace] End model tracing."),
    ]


LINES = ["[INFO] GE(1,p):x", *step(10), line(18, "between"), "  a tail of it", *step(20), line(30, "other", pid=2)]
"""A line in front that is no record; two steps; a record of two lines; another process."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "plog-1_1.log"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16]),
        (Selection(since_ns=BASE + 18_000), [8, 10, 11, 12, 13, 14, 15, 16]),
        (Selection(until_ns=BASE + 11_000), [2, 3]),
        (Selection(since_ns=BASE + 15_000, until_ns=BASE + 20_000), [7, 8, 10]),
        (Selection(pids=(2,)), [16]),
        (Selection(pids=(2, 7)), [16]),
        (Selection(ops=("mul",)), [2, 5, 6, 7, 10, 13, 14, 15]),
        (Selection(ops=("m*", "add?")), [2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]),
        (Selection(streams=(1,)), [2, 5, 7, 10, 13, 15]),
        (Selection(streams=(0,)), [2, 3, 4, 7, 10, 11, 12, 15]),
        (Selection(iterations=(2,)), [10, 11, 12, 13, 14, 15]),
        (Selection(iterations=(1, 2), ops=("mul",)), [2, 5, 6, 7, 10, 13, 14, 15]),
        (Selection(iterations=(2,), since_ns=BASE + 23_000), [13, 14, 15]),
        (Selection(max_events=3), [1, 2, 3]),
        (Selection(streams=(1,), max_events=2), [2, 5]),
        (Selection(ops=("mul",), since_ns=BASE + 20_000, max_events=2), [10, 13]),
    ],
    ids=str,
)
def test_the_lines_of_a_selection(log: Path, selection: Selection, expected: list[int]) -> None:
    store = open_store([str(log)], selection=selection)
    assert store.column("line").tolist() == expected


@pytest.mark.parametrize("block", [50, 150, 1000])
@pytest.mark.parametrize(
    "selection", [Selection(since_ns=BASE + 18_000), Selection(ops=("mul",)), Selection(pids=(1,))]
)
def test_a_selection_is_the_same_however_the_log_is_cut_into_blocks(
    log: Path, selection: Selection, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = open_store([str(log)], selection=selection)
    monkeypatch.setattr("getrace.plog.reader.BLOCK", block)
    cut = open_store([str(log)], selection=selection)
    assert cut.sources == whole.sources
    assert [cut.text(row) for row in range(cut.rows)] == [whole.text(row) for row in range(whole.rows)]


def test_a_record_takes_its_continuation_lines_with_it(log: Path) -> None:
    store = open_store([str(log)], selection=Selection(since_ns=BASE + 18_000, until_ns=BASE + 18_000))
    assert [store.text(row) for row in range(store.rows)] == [f"{line(18, 'between')}\n  a tail of it"]
    source = store.sources[0]
    assert (source.lines, source.records, source.left_out, source.truncated) == (2, 1, 14, False)


def test_the_first_records_of_several_logs_are_the_first_in_time(tmp_path: Path) -> None:
    (tmp_path / "plog-1_1.log").write_text("\n".join(line(at, "x") for at in (1, 3, 5, 7)))
    (tmp_path / "plog-2_1.log").write_text("\n".join(line(at, "x", pid=2) for at in (2, 4, 6, 8)))
    store = open_store([str(tmp_path)], selection=Selection(max_events=3))
    assert [(store.column("time")[row] - BASE) // 1000 for row in range(3)] == [1, 2, 3]
    assert [source.truncated for source in store.sources] == [True, True]
    assert [source.records for source in store.sources] == [2, 1]


def test_a_selection_that_leaves_nothing_is_said(log: Path) -> None:
    with pytest.raises(InputError) as caught:
        open_store([str(log)], selection=Selection(pids=(99,)))
    assert caught.value.message == "the selection leaves no record: all 15 were left out"


def test_a_split_message_is_selected_as_one(tmp_path: Path) -> None:
    name = "AllocMemHbm_add1_3"
    words = "[MEM]" + "x" * (2 * (859 - len(name)) - 10)
    size = 859 - len(name)
    pieces = [trace(at, name, words[start : start + size]) for at, start in ((1, 0), (3, size))]
    path = tmp_path / "a.log"
    path.write_text("\n".join([pieces[0], line(2, "between"), pieces[1]]))
    store = open_store([str(path)], selection=Selection(ops=("add1",)))
    assert store.column("line").tolist() == [1, 3]


@pytest.mark.parametrize("verb", ["check", "diagnose", "stats", "memory"])
@pytest.mark.parametrize("spelling", ["--max-events", "--max_events"])
def test_every_verb_that_reads_logs_takes_a_selection(verb: str, spelling: str, log: Path, capsys: Capture) -> None:
    main([verb, str(log), spelling, "6", "--since", f"{SECOND}.000.010", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["truncated"] is True
    assert answer["dropped"] == 0
    assert answer["selection"] == {
        "since_ns": BASE + 10_000,
        "until_ns": None,
        "pid": [],
        "stream": [],
        "op": [],
        "iteration": [],
        "max_events": 6,
        "kept": 6,
        "left_out": 9,
    }


def test_convert_writes_the_selected_records(log: Path, tmp_path: Path) -> None:
    target = tmp_path / "part.log"
    assert main(["convert", str(log), "-o", str(target), "--iteration", "2"]) == 0
    assert target.read_text().splitlines() == LINES[9:15]


def test_the_text_says_that_the_answer_is_about_a_part(log: Path, capsys: Capture) -> None:
    main(["stats", str(log), "--op", "mul"])
    assert "the answer is about 8 selected records only: 7 were left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence", "hint"),
    [
        (["--since", "noon"], "--since 'noon' is no time", "for example --since 2026-03-05-10:11:12.130"),
        (["--until", ""], "--until '' is no time", "for example --until 2026-03-05-10:11:12.130"),
        (["--pid", "370x"], "--pid '370x' is no whole number", "for example --pid 370"),
        (["--pid", "1,,2"], "--pid '' is no whole number", "for example --pid 370"),
        (["--stream", "-1"], "--stream -1 is out of range", "for example --stream 0"),
        (["--iteration", "0"], "--iteration 0 is out of range", "they count from 1"),
        (["--max-events", "0"], "--max-events 0 is out of range", "for example --max-events 10000"),
        (["--max_events", "many"], "--max-events 'many' is no whole number", "for example --max-events 10000"),
        (["--op", ""], "--op '' is no name of an operator", "for example --op MatMul_12"),
        (["--pid", str(2**64)], f"--pid {2**64} is out of range", "for example --pid 370"),
        (
            ["--since", "2026-03-05T10:11:13", "--until", "2026-03-05T10:11:12"],
            "--since 2026-03-05T10:11:13.000000 is later than --until 2026-03-05T10:11:12.000000",
            "the first record wanted comes before the last one",
        ),
    ],
)
def test_a_bad_value_is_wrong_usage_with_an_example(
    arguments: list[str], sentence: str, hint: str, log: Path, capsys: Capture
) -> None:
    assert main(["check", str(log), *arguments]) == 2
    err = capsys.readouterr().err
    assert f"getrace: {sentence}\n" in err
    assert hint in err


def test_one_selection_serves_stores_that_number_their_names_differently(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text("\n".join([trace(1, "InferShape_mul_9"), trace(2, "AllocMemHbm_add1_3")]) + "\n")
    selection = Selection(ops=("mul",))
    assert open_store([str(log)], selection=selection).column("line").tolist() == [2, 5, 6, 7, 10, 13, 14, 15]
    assert open_store([str(other)], selection=selection).column("line").tolist() == [1]
