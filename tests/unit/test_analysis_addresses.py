"""The address book of a launch and the cascade's tree, on small logs made by hand."""

from handmade import HandLog
from handmade_failures import ERROR, ge, launch

from getrace.analysis.failure.addresses import Note, address_book
from getrace.analysis.failure.cascade import Link, Tie, tree_of
from getrace.events.launch import LaunchAddresses
from getrace.events.memory import MemAlloc, MemFree

KERNEL = "LaunchKernelWithFlag_mixer_9"


def alloc(log: HandLog, kernel: str, addr: int) -> int:
    return log.say(MemAlloc(block=addr + 1, addr=addr, size=64), kernel)


def test_each_address_has_its_producer_and_what_is_remarkable_about_it() -> None:
    log = HandLog()
    first = alloc(log, "AllocMemHbm_a_1", 0x1000)
    launch(log, KERNEL, 2, 6)
    shown = log.say(LaunchAddresses(addresses=(0x1000, 0x2000, 0x1000)), KERNEL)
    end = log.say(ge("it failed"), level=ERROR)
    book = address_book(log.store(), shown - 2, end - 1)
    assert book is not None
    assert book.row == shown - 1
    assert [(each.address, each.producer, each.row) for each in book.held] == [
        (0x1000, "AllocMemHbm_a_1", first - 1),
        (0x2000, None, None),
        (0x1000, "AllocMemHbm_a_1", first - 1),
    ]
    assert [each.notes for each in book.held] == [(Note.ALIAS,), (Note.UNKNOWN,), (Note.ALIAS,)]


def test_memory_that_is_given_again_before_the_failure_is_told() -> None:
    log = HandLog()
    alloc(log, "AllocMemHbm_a_1", 0x1000)
    at = launch(log, KERNEL, 2, 6)
    log.say(LaunchAddresses(addresses=(0x1000,)), KERNEL)
    log.say(MemFree(addr=0x1000), "FreeMemory_a_2")
    alloc(log, "AllocMemHbm_b_3", 0x1000)
    end = log.say(ge("it failed"), level=ERROR)
    book = address_book(log.store(), at - 1, end - 1)
    assert book is not None
    assert [(each.producer, each.notes) for each in book.held] == [("AllocMemHbm_a_1", (Note.REUSED,))]


def test_memory_that_was_freed_before_the_launch_is_told() -> None:
    log = HandLog()
    alloc(log, "AllocMemHbm_a_1", 0x1000)
    log.say(MemFree(addr=0x1000), "FreeMemory_a_2")
    at = launch(log, KERNEL, 2, 6)
    end = log.say(LaunchAddresses(addresses=(0x1000,)), KERNEL) + 1
    log.say(ge("it failed"), level=ERROR)
    book = address_book(log.store(), at - 1, end - 1)
    assert book is not None
    assert book.held[0].notes == (Note.GONE,)


def test_a_launch_without_addresses_has_no_book() -> None:
    log = HandLog()
    at = launch(log, KERNEL, 2, 6)
    assert address_book(log.store(), at - 1, at) is None


def test_each_consequence_hangs_under_the_one_that_it_repeats() -> None:
    log = HandLog()
    log.say(ge("kernel failed, stream_id=4"), level=ERROR, tid=1)
    log.say(ge("wait failed, stream_id=4, ErrCode=507015"), level=ERROR, tid=2)
    log.say(ge("Assert failed"), level=ERROR, tid=2)
    log.say(ge("run failed, runtime result = 507015"), level=ERROR, tid=3)
    log.say(ge("the program ends"), level=ERROR, tid=9, step_ns=9_000_000_000)
    assert tree_of(log.store(), 0, [1, 2, 3, 4]) == (
        Link(1, 0, Tie.STREAM),
        Link(2, 1, Tie.CALLER),
        Link(3, 1, Tie.CODE),
        Link(4, 0, Tie.PROCESS),
    )
