"""Hangs of the real cases: who waits for whom. What their sources say of each stands in the cases' own list."""

from pathlib import Path

import pytest

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.plain import diagnose_text
from getrace.analysis.hangs import Hangs, RankGraph
from getrace.errors import InputError
from getrace.replay import open_store

pytestmark = pytest.mark.real


def hangs_of(cases: Path, number: str) -> Hangs:
    (path,) = (cases / "real").glob(f"{number}-*")
    try:
        return diagnose(open_store([str(path)])).hangs
    except InputError:
        return diagnose_text(str(path), path.read_text(encoding="utf-8", errors="replace").split("\n")).hangs


def group_of(hangs: Hangs, name: str) -> RankGraph:
    (group,) = [group for group in hangs.groups if group.group.startswith(name)]
    return group


def edges_of(group: RankGraph) -> list[tuple[str, str, str]]:
    return [(edge.waiter, edge.peer, edge.what) for edge in group.edges if edge.stated]


def test_case_77_stands_at_the_wait_whose_recorder_is_in_another_dump(cases: Path) -> None:
    (hang,) = hangs_of(cases, "77").streams
    assert (hang.pid, hang.stream.rt, hang.task, hang.kind, hang.number) == (80029, 3, 47, "event", 1)
    assert (hang.waited_s, hang.limit_s, hang.pending, hang.confidence) == (16, 10, 2, "high")
    assert hang.cannot_tell == "no dumped queue holds the record of event 1: dump the queues of all streams"
    assert [spot.line for spot in hang.evidence] == [1, 4, 16]


def test_case_42_gives_the_stream_and_not_the_model(cases: Path) -> None:
    (hang,) = hangs_of(cases, "42").streams
    assert (hang.stream.rt, hang.stream.model, hang.task, hang.kind) == (16, None, 43, "notify")
    assert (hang.pid, hang.recorder, hang.why) == (-1, None, "unknown")


def test_case_162_waits_for_half_an_hour(cases: Path) -> None:
    hangs = hangs_of(cases, "162")
    (hang,) = hangs.streams
    assert (hang.stream.rt, hang.task, hang.kind) == (5, 38827, "notify")
    assert [(limit.name, limit.seconds, limit.given) for limit in hangs.limits] == [
        ("HCCL_EXEC_TIMEOUT", 1800.0, "default")
    ]


@pytest.mark.parametrize(
    ("case", "group", "edge", "root"),
    [
        ("33", "", ("rank 0", "rank 1", "link"), ("rank 1", "unknown")),
        ("36", "group_name_17271", ("rank 1", "rank 0", "worldCommSendRecv"), ("rank 0", "unknown")),
        ("41", "10.0.0.7", ("rank 0", "rank 3", "AllReduce"), ("rank 3", "unknown")),
    ],
)
def test_a_peer_that_a_line_names_is_the_root(
    case: str, group: str, edge: tuple[str, str, str], root: tuple[str, str], cases: Path
) -> None:
    found = group_of(hangs_of(cases, case), group) if group else hangs_of(cases, case).groups[0]
    assert edges_of(found) == [edge]
    assert [(rank.name, rank.state) for rank in found.roots] == [root]


def test_case_41_counts_who_did_not_connect_and_who_was_lost(cases: Path) -> None:
    states = {
        rank.name: (rank.state, [spot.line for spot in rank.evidence])
        for group in hangs_of(cases, "41").groups
        for rank in group.roots
        if not group.group
    }
    assert states == {"10.0.0.4/5": ("lost", [5]), "10.0.0.4/2": ("lost", [6]), "rank 7": ("absent", [9])}


def test_case_51_blames_nobody_as_seven_of_eight_logs_are_missing(cases: Path) -> None:
    (group,) = hangs_of(cases, "51").groups
    assert (group.size, group.roots, group.edges) == (8, (), ())
    assert [rank.name for rank in group.ranks if rank.state == "waiting"] == ["rank 6"]
    assert group.cannot_tell.startswith("no line says for whom")


def test_case_106_finds_the_rank_in_another_operation(cases: Path) -> None:
    group = group_of(hangs_of(cases, "106"), "10.0.0.1%enp")
    assert (group.size, [(rank.name, rank.state, rank.pid) for rank in group.roots]) == (
        4,
        [("rank 1", "other_call", 2111666)],
    )


def test_case_106_finds_that_the_fault_of_a_copy_was_no_wait(cases: Path) -> None:
    group = group_of(hangs_of(cases, "106"), "group_name_0")
    assert [(rank.name, rank.state) for rank in group.roots] == [("rank 0", "failed")]


def test_case_108_reads_links_of_two_groups_apart(cases: Path) -> None:
    found = [edges_of(group) for group in hangs_of(cases, "108").groups]
    assert [("rank 1", "rank 0", "link")] in found
    assert all(not group.cycles for group in hangs_of(cases, "108").groups)


def test_case_195_names_the_lost_rank_by_its_arrival_three_minutes_before(cases: Path) -> None:
    (group,) = hangs_of(cases, "195").groups
    (root,) = group.roots
    waiting = next(rank for rank in group.ranks if rank.state == "waiting")
    assert (root.name, root.state, root.evidence[0].line) == ("10.0.0.1/1", "lost", 6)
    assert root.time_ns is not None
    assert waiting.time_ns is not None
    assert (waiting.time_ns - root.time_ns) // 1_000_000_000 == 176


@pytest.mark.parametrize("case", ["01", "02", "08", "202"])
def test_a_case_without_a_hang_has_none(case: str, cases: Path) -> None:
    hangs = hangs_of(cases, case)
    assert (hangs.streams, hangs.groups) == ((), ())
