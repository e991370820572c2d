"""Logs of ranks made by hand: one process each, with the lines of HCCL that tell of waits."""

from handmade import HandLog

from getrace.analysis.hangs import Hangs, RankGraph, find_hangs
from getrace.events import Level
from getrace.events.text import LogLine
from getrace.store.ordered import in_time_order

SECOND = 1_000_000_000
GROUP = "10.9.8.7%eth1_60001_0_17"


class RankLog(HandLog):
    """A log of several ranks; rank n is process 1000 + n. Every call gives the line that it adds."""

    def hccl(self, rank: int, text: str, level: Level = Level.INFO, seconds: float = 0, pid: int | None = None) -> int:
        """Let a rank say something through HCCL, ``seconds`` after the line before it; ``pid`` is another process."""
        line = LogLine("HCCL", "op_base.cc", 7, "", text)
        return self.say(
            line, level=level, pid=1000 + rank if pid is None else pid, step_ns=int(seconds * SECOND) + 1_000
        )

    def joins(self, rank: int, size: int = 4) -> int:
        """Let a rank join the group."""
        return self.hccl(rank, f"Entry-HcclCommInitRootInfoInner:ranks[{size}], rank[{rank}], identifier[{GROUP}]")

    def calls(self, rank: int, call: str = "AllReduce") -> int:
        """Let a rank call an operation."""
        return self.hccl(rank, f"Entry-Hccl{call}: tag[{call}_{GROUP}], count[8], localRank[{rank}], streamId[2]")

    def gives_up(
        self,
        rank: int,
        call: str = "AllReduce",
        peer: str = "unknown",
        size: int = 4,
        seconds: float = 0,
        pid: int | None = None,
    ) -> int:
        """Let a rank give up its wait for a notify."""
        text = (
            "The wait execution of the Notify register times out. Reason: The Notify register has not received the "
            f"Notify record from remote rank: [{peer}]. base information: [streamID:[77], taskID[5], "
            f"tag[{call}_{GROUP}], AlgType(level 0-1-2):[fullmesh-ring-NHR].]. group information: [group:[{GROUP}], "
            f"user define information[], rankSize[{size}], rankId[{rank}].]"
        )
        return self.hccl(rank, text, Level.ERROR, seconds, pid)

    def loses(self, rank: int, lost: str) -> int:
        """Let a rank find that another one has no heartbeat."""
        return self.hccl(rank, f"local rank [10.9.8.7/{rank}]: crimer rank [{lost}] status[LOST] by informer rank [x]")


def waits_of(log: HandLog) -> Hangs:
    return find_hangs(in_time_order(log.store()))


def graph_of(log: HandLog) -> RankGraph:
    (graph,) = waits_of(log).groups
    return graph


def states_of(log: HandLog) -> dict[str, str]:
    return {rank.name: str(rank.state) for rank in graph_of(log).ranks}


def roots_of(log: HandLog) -> list[tuple[str, str, str]]:
    """Give the roots: name, state, confidence."""
    return [(rank.name, str(rank.state), str(rank.confidence)) for rank in graph_of(log).roots]
