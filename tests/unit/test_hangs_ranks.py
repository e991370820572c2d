"""Who waits for whom among ranks, and which rank is the cause."""

import pytest
from handmade_ranks import GROUP, RankLog, graph_of, roots_of, states_of, waits_of

from getrace.analysis.failure import diagnose
from getrace.events import Level
from getrace.events.device import TaskException


def all_reduce(ranks: tuple[int, ...], here: tuple[int, ...] = (0, 1, 2, 3)) -> RankLog:
    """Four ranks of which some reach an all-reduce and wait there; the logs of ``here`` are in the folder."""
    log = RankLog()
    for rank in here:
        log.joins(rank)
    for rank in ranks:
        log.calls(rank)
    for rank in ranks:
        log.gives_up(rank)
    return log


def test_the_rank_that_did_not_call_the_all_reduce_is_the_cause() -> None:
    log = all_reduce((0, 1, 3))
    assert states_of(log) == {"rank 0": "waiting", "rank 1": "waiting", "rank 3": "waiting", "rank 2": "absent"}
    assert roots_of(log) == [("rank 2", "absent", "medium")]
    graph = graph_of(log)
    assert (graph.group, graph.size, graph.cannot_tell) == (GROUP, 4, "")
    assert [(edge.waiter, edge.peer, edge.stated) for edge in graph.edges] == [
        ("rank 0", "rank 2", False),
        ("rank 1", "rank 2", False),
        ("rank 3", "rank 2", False),
    ]


def test_a_rank_without_a_log_may_be_the_cause_or_only_lack_its_log() -> None:
    log = all_reduce((0, 1, 3), here=(0, 1, 3))
    (root,) = graph_of(log).roots
    assert (root.name, root.state, root.confidence) == ("rank 2", "unknown", "low")
    assert root.cannot_tell == "its log is not here: whether it arrived cannot be told"


def test_with_several_logs_missing_nobody_is_blamed() -> None:
    graph = graph_of(all_reduce((0, 1), here=(0, 1)))
    assert (graph.roots, graph.edges) == ((), ())
    assert graph.cannot_tell.endswith("whose logs are not here: rank 2, rank 3")


def test_two_ranks_that_wait_for_each_other_are_a_circle() -> None:
    log = RankLog()
    log.gives_up(0, "Send", peer="1", size=2)
    log.gives_up(1, "Send", peer="0", size=2)
    graph = graph_of(log)
    assert graph.cycles == (("rank 0", "rank 1"),)
    assert {rank.name for rank in graph.roots} == {"rank 0", "rank 1"}
    assert all(edge.stated for edge in graph.edges)


def test_a_process_that_says_it_is_two_ranks_is_not_believed() -> None:
    log = RankLog()
    log.gives_up(0, "Send", peer="1", size=2, pid=4001)
    log.gives_up(1, "Send", peer="0", size=2, pid=4001)
    ranks = {rank.name: (str(rank.confidence), rank.cannot_tell) for rank in graph_of(log).ranks}
    why = "process 4001 says that it is rank 0 and rank 1"
    assert ranks == {"rank 0": ("low", why), "rank 1": ("low", why)}


def test_a_rank_that_two_processes_say_they_are_is_not_believed() -> None:
    log = RankLog()
    log.gives_up(0, "Send", peer="1", size=2, pid=4001)
    log.gives_up(0, "Send", peer="1", size=2, pid=4002)
    ranks = {rank.name: (str(rank.confidence), rank.cannot_tell) for rank in graph_of(log).ranks}
    assert ranks["rank 0"] == ("low", "process 4001 and process 4002 say that they are rank 0")


def test_a_wait_that_is_told_twice_keeps_its_first_evidence() -> None:
    log = RankLog()
    first = log.gives_up(0, peer="1", size=2)
    log.gives_up(0, peer="1", size=2, seconds=1)
    (edge,) = graph_of(log).edges
    assert [spot.line for spot in edge.evidence] == [first]


def test_a_rank_whose_device_failed_first_is_the_cause() -> None:
    log = all_reduce(())
    fault = TaskException(0, 3, 8, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception")
    failed = log.say(fault, level=Level.ERROR, module="RUNTIME", pid=1001)
    for rank in (0, 2, 3):
        log.gives_up(rank, seconds=60)
    (graph,) = diagnose(log.store()).hangs.groups
    (root,) = graph.roots
    assert (root.name, root.state, root.pid, [spot.line for spot in root.evidence]) == (
        "rank 1",
        "failed",
        1001,
        [failed],
    )
    assert {edge.peer for edge in graph.edges} == {"rank 1"}


def test_a_rank_that_failed_itself_and_then_waits_was_not_waiting_for_the_others() -> None:
    log = all_reduce(())
    log.say(TaskException(0, 3, 8, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception"), level=Level.ERROR, pid=1001)
    for rank in (0, 1, 2, 3):
        log.gives_up(rank, seconds=60)
    (graph,) = diagnose(log.store()).hangs.groups
    assert [(rank.name, rank.state) for rank in graph.roots] == [("rank 1", "failed")]


def test_a_lost_rank_is_named_with_the_rank_number_that_its_link_has() -> None:
    log = all_reduce((0, 1, 3))
    log.hccl(
        0,
        "Transport init error! createLink para:rank[0]-localUserrank[0]-localIpAddr[10.9.8.7/0], "
        "remoteRank[2]-remoteUserrank[2]-remoteIpAddr[10.9.8.7/2], machineType[1]",
    )
    lost = log.loses(3, "10.9.8.7/2")
    (root,) = graph_of(log).roots
    assert (root.name, root.state, root.confidence) == ("rank 2", "lost", "high")
    assert [spot.line for spot in root.evidence] == [lost]


def test_a_lost_server_that_is_no_known_rank_keeps_its_own_name() -> None:
    log = all_reduce((0, 1, 2, 3))
    log.loses(3, "10.9.8.1/5")
    assert roots_of(log)[0] == ("10.9.8.1/5", "lost", "high")


def test_the_arrival_time_of_a_lost_heartbeat_counts_not_that_of_the_report() -> None:
    log = RankLog()
    log.hccl(
        0,
        "Cluster Exception Location[IP/ID]:[10.9.8.1/5], Arrival Time:[Thu Nov  2 11:56:34 2023], "
        "Discoverer:[10.9.8.7/0], ExceptionType:[Heartbeat Lost Occurred], Possible Reason:1. Process has exited",
        Level.ERROR,
    )
    (rank,) = graph_of(log).ranks
    assert (rank.name, rank.time_ns) == ("10.9.8.1/5", 1_698_926_194_000_000_000)


def test_a_rank_in_another_operation_than_the_others_is_the_cause() -> None:
    log = RankLog()
    for rank, call in enumerate(("AllReduce", "AllReduce", "AllGather", "AllReduce")):
        log.gives_up(rank, call)
    assert roots_of(log) == [("rank 2", "other_call", "medium")]


def test_half_in_one_operation_and_half_in_another_blames_neither() -> None:
    log = RankLog()
    for rank, call in enumerate(("AllReduce", "AllReduce", "AllGather", "AllGather")):
        log.gives_up(rank, call)
    assert roots_of(log) == []


def late(gap_s: float, limit: str | None) -> RankLog:
    log = RankLog()
    if limit:
        log.hccl(0, limit)
    for rank in range(3):
        log.gives_up(rank, size=4)
    log.gives_up(3, seconds=gap_s)
    return log


def test_a_rank_that_gave_up_more_than_one_time_out_later_had_come_too_late() -> None:
    log = late(700, "[HCCL_ENV] HCCL_EXEC_TIMEOUT set by environment to [600]s")
    graph = graph_of(log)
    assert roots_of(log) == [("rank 3", "late", "medium")]
    assert (graph.spread.inside, graph.spread.text) == (
        False,
        "700.000 s apart, more than HCCL_EXEC_TIMEOUT of 600 s",
    )
    assert [(limit.seconds, limit.given) for limit in graph.spread.limits] == [(600.0, "set")]


def test_ranks_that_gave_up_within_the_time_out_were_all_waiting() -> None:
    graph = graph_of(late(300, "[HCCL_ENV] HCCL_EXEC_TIMEOUT set by default to [1836]s"))
    assert graph.roots == ()
    assert graph.cannot_tell == "no line names the rank that is waited for, and every rank that speaks waits"
    assert graph.spread.text == "300.000 s apart, within HCCL_EXEC_TIMEOUT of 1836 s"
    assert [limit.given for limit in graph.spread.limits] == ["default"]


def test_without_the_time_out_in_the_log_the_spread_proves_nothing() -> None:
    graph = graph_of(late(700, None))
    assert (graph.roots, graph.spread.inside, graph.spread.ns) == ((), None, 700_000_003_000)
    assert graph.spread.text == "700.000 s apart; cannot tell more: the log does not print HCCL_EXEC_TIMEOUT"


def test_time_outs_that_differ_between_ranks_are_not_averaged() -> None:
    log = RankLog()
    log.hccl(0, "environmental variable HCCL_EXEC_TIMEOUT is set, timeOut[600]")
    log.hccl(1, "ExecTimeOut is set to timeOut[900]")
    log.gives_up(0, size=2)
    log.gives_up(1, size=2, seconds=700)
    spread = graph_of(log).spread
    assert spread.inside is None
    assert spread.text.endswith("HCCL_EXEC_TIMEOUT has several values: 600 s, 900 s")


@pytest.mark.parametrize("peer", ["unknown", "local", "4294967295"])
def test_what_is_printed_for_no_rank_is_no_rank(peer: str) -> None:
    log = RankLog()
    log.gives_up(1, peer=peer, size=9)
    assert not [rank for rank in graph_of(log).ranks if "429" in rank.name or peer in rank.name]
    assert graph_of(log).edges == ()


def test_the_ai_cpu_names_both_ranks_and_the_stream_is_of_its_own_numbering() -> None:
    log = RankLog()
    text = (
        "[TaskException]base information is streamId:149, sqid:153, head:1488, tail:136, type:NOTIFY WAIT, "
        "localRank:{}, remoteRank:{}, taskId:264, notifyId:760, addr1High:0x0."
    )
    log.hccl(5, text.format(5, 4_294_967_295), Level.ERROR)
    log.hccl(5, text.format(5, 2), Level.ERROR)
    (hang,) = waits_of(log).streams
    assert (hang.stream.printed, hang.stream.rt, hang.stream.logical) == (149, None, None)
    assert (hang.kind, hang.number, hang.task, hang.why) == ("notify", 760, 264, "elsewhere")
    assert (hang.head, hang.tail) == (1488, 136)
    assert (hang.root, hang.cannot_tell) == (False, "the record is to come from rank 2: read its log")
    assert roots_of(log) == [("rank 2", "unknown", "low")]


def test_the_ranks_that_did_not_connect_are_counted_from_those_that_did() -> None:
    log = RankLog()
    log.hccl(0, "topo exchange server get socket timeout! timeout[90 s]", Level.ERROR)
    told = log.hccl(0, "connected rankinfo[LINE 0]: [0000000000000000],[0000000000000002];", Level.ERROR)
    log.hccl(0, "HcclCommInitRootInfo failed, return[0x5], rankNum[4], rank[0], rootInfo", Level.ERROR)
    graph = graph_of(log)
    assert roots_of(log) == [("rank 1", "absent", "high"), ("rank 3", "absent", "high")]
    assert [[spot.line for spot in rank.evidence] for rank in graph.roots] == [[told], [told]]
    assert [(limit.name, limit.seconds) for limit in graph.spread.limits] == [("HCCL_CONNECT_TIMEOUT", 90.0)]


def test_a_table_of_links_names_the_rank_that_did_not_connect() -> None:
    log = RankLog()
    row = log.hccl(0, "   |  10.9.8.1(6)   |   10.9.8.7(0)   |  server  | no connect |   ", Level.ERROR)
    graph = graph_of(log)
    assert [(e.waiter, e.peer, e.what, e.evidence[0].line) for e in graph.edges] == [("rank 0", "rank 6", "link", row)]


def test_links_that_failed_on_different_days_are_different_graphs() -> None:
    log = RankLog()
    log.hccl(0, "   |  10.9.8.1(1)   |   10.9.8.7(0)   |  server  | no connect |   ", Level.ERROR)
    log.hccl(1, "   |  10.9.8.1(0)   |   10.9.8.7(1)   |  server  | no connect |   ", Level.ERROR, seconds=90_000)
    first, second = waits_of(log).groups
    assert (first.cycles, second.cycles) == ((), ())


def test_a_log_without_ranks_has_no_graph() -> None:
    log = RankLog()
    log.joins(0)
    assert waits_of(log).groups == ()


def test_a_process_that_fails_after_it_gave_up_was_still_a_victim() -> None:
    log = all_reduce((0, 1, 3))
    log.say(TaskException(0, 3, 8, 0, "KERNEL_AICORE", 0, 0x26, "aborted"), level=Level.ERROR, pid=1000)
    (graph,) = diagnose(log.store()).hangs.groups
    assert [(rank.name, rank.state) for rank in graph.roots] == [("rank 2", "absent")]


def test_a_copy_that_failed_on_the_own_device_is_no_wait_for_another_rank() -> None:
    log = all_reduce((0, 1, 2))
    text = "fftsplus task execute failed, dev_id=0, stream_id=50, task_id=21, err_type=4[fftsplus sdma error]"
    log.hccl(3, text, Level.ERROR)
    log.gives_up(3)
    assert roots_of(log) == [("rank 3", "failed", "medium")]
    assert {hang.pid for hang in waits_of(log).streams} == {1000, 1001, 1002}


def test_all_that_came_too_late_are_causes() -> None:
    log = RankLog()
    log.hccl(0, "ExecTimeOut is set to timeOut[60]")
    for rank, gap in enumerate((0, 0, 100, 5)):
        log.gives_up(rank, seconds=gap)
    assert roots_of(log) == [("rank 2", "late", "medium"), ("rank 3", "late", "medium")]


def test_of_a_rank_that_failed_and_one_that_was_lost_the_earlier_comes_first() -> None:
    log = all_reduce(())
    log.loses(3, "10.9.8.1/5")
    log.say(TaskException(0, 3, 8, 0, "KERNEL_AICORE", 0, 0x26, "x"), level=Level.ERROR, pid=1001, step_ns=10**9)
    log.gives_up(0, seconds=60)
    (graph,) = diagnose(log.store()).hangs.groups
    assert [(rank.name, rank.state) for rank in graph.roots] == [("10.9.8.1/5", "lost"), ("rank 1", "failed")]
    assert {edge.peer for edge in graph.edges if edge.waiter == "rank 0"} == {"10.9.8.1/5", "rank 1"}


def test_a_process_that_failed_first_is_named_even_if_no_line_says_its_rank() -> None:
    log = all_reduce((), here=(0, 2, 3))
    log.say(TaskException(0, 3, 8, 0, "KERNEL_AICORE", 0, 0x26, "x"), level=Level.ERROR, pid=1001)
    for rank in (0, 2, 3):
        log.gives_up(rank, seconds=60)
    (graph,) = diagnose(log.store()).hangs.groups
    (root,) = graph.roots
    assert (root.name, root.state, root.confidence) == ("process 1001", "failed", "low")
    assert root.cannot_tell == "no line says which rank this process is"


def test_when_the_operations_began_is_told_beside_when_the_ranks_gave_up() -> None:
    log = RankLog()
    for rank, second in enumerate((55, 57)):
        log.gives_up(rank, size=2)
        began = f"timeStamp:[2025-10-24-11:16:{second}.490.000], deviceId[{rank}], index[21], count[2]"
        log.hccl(rank, f"opData information is {began}", Level.ERROR)
    assert "apart (begun 2.000 s apart)" in graph_of(log).spread.text


def test_a_group_too_large_to_conclude_anything_from_the_logs_that_are_here() -> None:
    log = RankLog()
    log.gives_up(0, size=9_000_000)
    graph = graph_of(log)
    assert graph.cannot_tell == "the logs of more than 64 of 9000000 ranks are not here"
    assert len(graph.ranks) == 1
