"""The scalable allocator under any sequence of calls: no overlap, nothing lost, everything comes back."""

import itertools

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from getrace.bus import Bus
from getrace.events import Level, Origin
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.memory.config import config_of
from runtime.memory.journal import Journal
from runtime.memory.lower import DriverSource
from runtime.memory.scalable import ScalableAllocator
from runtime.memory.span import PAGE, PageSpan

TOTAL = 16 << 20


class AllocatorMachine(RuleBasedStateMachine):
    """Calls in any order on a device of 16 MiB that is taken in pieces of 2 MiB."""

    spans = Bundle("spans")

    def __init__(self) -> None:
        super().__init__()
        self.device = Device(find_profile("tiny"), seed=0, start_ns=0)
        journal = Journal(Bus(now=lambda: 0, levels={"GE": Level.ERROR}), Origin(1, "test", 1))
        self.allocator = ScalableAllocator(
            "allocator_1",
            DriverSource(self.device, journal),
            config_of(TOTAL),
            journal,
            device_id=0,
            pointer=self.device.pointer,
            chunk=2 << 20,
        )
        self.used: dict[PageSpan, tuple[int, int, int]] = {}

    @rule(target=spans, size=st.integers(0, 5 << 20))
    def alloc(self, size: int) -> PageSpan | None:
        span = self.allocator.alloc(size)
        if span is not None:
            assert span.size >= max(size, 1)
            assert span.size < max(size, 1) + PAGE
            assert span.addr % PAGE == 0
            self.used[span] = (span.addr, span.size, size)
        return span

    @rule(span=consumes(spans))
    def free(self, span: PageSpan | None) -> None:
        if span is not None:
            del self.used[span]
            self.allocator.free(span)

    @rule()
    def recycle(self) -> None:
        self.allocator.recycle()
        assert all(span.is_split for span in self.allocator.tally.idle)

    @precondition(lambda self: not self.used)
    @rule()
    def finalize(self) -> None:
        assert self.allocator.finalize()
        assert self.device.hbm.used == 0
        assert self.allocator.tally.device.occupied == 0

    @precondition(lambda self: bool(self.used))
    @rule()
    def finalize_with_spans_in_use(self) -> None:
        held = self.device.hbm.used
        assert not self.allocator.finalize()
        assert self.device.hbm.used == held

    @invariant()
    def spans_do_not_overlap_and_keep_their_place(self) -> None:
        both = [*self.used, *self.allocator.tally.idle]
        ranges = sorted((span.addr, span.addr + span.size) for span in both)
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(ranges))
        assert all((span.addr, span.size) == kept[:2] for span, kept in self.used.items())

    @invariant()
    def used_and_idle_are_all_that_was_taken_from_below(self) -> None:
        tally = self.allocator.tally
        used = sum(span.size for span in self.used)
        idle = sum(span.size for span in tally.idle)
        assert used + idle == tally.device.occupied == self.device.hbm.used
        assert tally.theory == used
        assert tally.real_theory == sum(kept[2] for kept in self.used.values())

    @invariant()
    def idle_neighbours_are_joined(self) -> None:
        idle = set(self.allocator.tally.idle)
        assert all(span.next not in idle for span in idle)


AllocatorMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
test_any_sequence_of_calls = AllocatorMachine.TestCase
