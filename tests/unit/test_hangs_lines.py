"""The lines that tell of waits: what is read of a log, and what a line is taken for."""

import pytest
from handmade import HandLog
from handmade_ranks import RankLog, graph_of, waits_of

from getrace.analysis.hangs import find_hangs_in_text, lines
from getrace.analysis.hangs.lines import arrival_in, said_in, said_in_text, time_in
from getrace.analysis.hangs.wordings import Sort, told
from getrace.events import Level
from getrace.events.text import LogLine


def test_a_log_with_too_many_lines_is_read_from_both_ends_and_says_what_was_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LIMIT", 3)
    log = RankLog()
    log.hccl(0, "[HCCL_ENV] HCCL_EXEC_TIMEOUT set by default to [1836]s")
    for _ in range(20):
        log.hccl(0, "nothing of interest")
    log.joins(1, size=2)
    log.gives_up(0, size=2)
    hangs = waits_of(log)
    assert hangs.unread == 16
    assert [limit.seconds for limit in hangs.limits] == [1836.0]
    assert [(rank.name, rank.state) for rank in graph_of(log).ranks] == [("rank 0", "waiting"), ("rank 1", "absent")]


def test_text_beyond_the_budget_is_counted_as_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MOST_TEXT", 100)
    log = RankLog()
    for _ in range(3):
        log.hccl(0, "x" * 60)
    assert said_in(log.store())[1] == 2


@pytest.mark.parametrize(
    ("text", "sort", "facts"),
    [
        ("remote rank:[7]", Sort.PEER, {"peer": "7"}),
        ("remote rank [unknown].base", Sort.PEER, {"peer": "unknown"}),
        ("ExecTimeOut is set to timeOut[120]", Sort.LIMIT, {"name": "ExecTimeOut", "s": "120"}),
        (
            "HCCL_CONNECT_TIMEOUT set by environment to [7200]s",
            Sort.LIMIT,
            {"name": "HCCL_CONNECT_TIMEOUT", "given": "environment", "s": "7200"},
        ),
        ("failed, stream synchronize timeout:-1, ret:107020.", Sort.LIMIT, {"ms": "-1"}),
        ("|  10.0.0.1(1)  |  10.0.0.2(0)  |  server  | time out |", Sort.NO_LINK, {"peer": "1", "rank": "0"}),
    ],
)
def test_what_a_line_is_taken_for(text: str, sort: Sort, facts: dict[str, str]) -> None:
    found = dict(told(text))
    assert facts.items() <= found[sort].items()


@pytest.mark.parametrize(
    "text",
    [
        "a rank is lost in thought",
        "|  10.0.0.1(1)  |  10.0.0.2(0)  |  server  | connected |",
        "HCCL_RDMA_TIMEOUT set by default to [20]",
        "notify wait",
    ],
)
def test_other_lines_tell_nothing(text: str) -> None:
    assert told(text) == []


def test_a_stream_synchronise_without_a_limit_is_no_time_out() -> None:
    log = HandLog()
    text = "failed, stream synchronize timeout:-1, ret:107020."
    log.say(LogLine("GE", "utils.cc", 41, "DoRtStreamSyncWithTimeout", text), level=Level.ERROR)
    assert waits_of(log).limits == ()


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("[ERROR] HCCL(1,p):2025-10-24-11:18:29.597.044 x", 1_761_304_709_597_044_000),
        ("2025-10-24 11:18:29 x", 1_761_304_709_000_000_000),
        ("2025-13-24-11:18:29 x", None),
        ("no time", None),
    ],
)
def test_times_of_lines(text: str, time: int | None) -> None:
    assert time_in(text) == time


def test_an_arrival_time_is_read_and_a_strange_month_is_none() -> None:
    assert arrival_in("Arrival Time:[Thu Oct 23 17:25:58 2025]") == 1_761_240_358_000_000_000
    assert arrival_in("Arrival Time:[Thu Okt 23 17:25:58 2025]") is None


def test_a_text_takes_the_process_from_the_line_before_where_a_line_has_none() -> None:
    said = said_in_text("a.txt", ["EI0002: [PID: 41] x", "remote rank:[7]", "(train pid=42) remote rank:[8]"])
    assert [(each.pid, each.number, each.facts["peer"]) for each in said] == [(41, 2, "7"), (42, 3, "8")]


def test_a_number_that_no_rank_has_is_read_and_breaks_nothing() -> None:
    log = RankLog()
    log.gives_up(0, peer="9" * 40, size=2)
    graph = graph_of(log)
    assert [edge.peer for edge in graph.edges] == ["rank " + "9" * 40]


def test_a_text_that_a_launcher_wrote_names_the_rank_by_the_number_that_cann_gives_the_process() -> None:
    lines = (
        "(train pid=9) [ERROR] 2025-06-25-10:45:23 (PID:75, Device:0, RankID:8) ERR00100 PTA call acl api failed",
        (
            "(train pid=9) EI0002: [PID: 75] 2025-06-25-10:45:23.586.187 The Notify register has not received the "
            "Notify record from remote rank: [unknown]. base information: [streamID:[1], taskID[8], tag[AllReduce_g], "
        ),
    )
    (group,) = find_hangs_in_text("a.txt", lines).groups
    assert [(rank.name, rank.pid, rank.state) for rank in group.ranks] == [("rank 8", 75, "waiting")]


def test_a_text_without_a_process_names_none() -> None:
    (group,) = find_hangs_in_text("a.txt", ["has not received the Notify record from remote rank: [unknown]."]).groups
    assert [rank.name for rank in group.ranks] == ["a process without a number"]
