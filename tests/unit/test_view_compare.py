"""Two runs beside each other: aligned by operator and occurrence, with the first difference and the changes."""

import pytest
from view_story import KIB, Story, main, run_story

from getrace.events.launch import Launch
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import MemAlloc
from getrace.events.shapes import ShapesOut
from getrace.events.tiling import Tiling
from getrace.store.live import LiveStore
from views.model.compare import Side, compare, party_of, side_text, sides_of, usual_pair
from views.model.compare_lists import difference, kernel_list, operator_changes, operator_list, state_of, summary_lines
from views.model.spans import plain

Kernel = tuple[str, dict[str, int]]


def run(story: Story, *kernels: Kernel) -> None:
    """One Main; a kernel is its NAME and what it says: ``rows`` of its shape, ``size``, tiling ``key``, ``blocks``."""
    story.say(ModelStart())
    for name, said in kernels:
        if "rows" in said:
            shape = (("ND", "float32", (said["rows"], 4)),)
            story.say(ShapesOut(original=shape, storage=shape), name)
        if "size" in said:
            story.say(MemAlloc(1, 0x1000_0000, said["size"], 0, 600, 0), name)
        if "key" in said:
            story.say(Tiling(size=8, data=bytes(8), key=said["key"], block_dim=8), name)
        if "blocks" in said:
            story.say(Launch(1, said["blocks"], 2, 0xAA00), name)
        story.say(KernelEnd(), name)
    story.say(ModelEnd())


def two_runs(left: tuple[Kernel, ...], right: tuple[Kernel, ...]) -> LiveStore:
    story = Story()
    run(story, *left)
    run(story, *right)
    story.store.poll()
    return story.store


BASE: tuple[Kernel, ...] = (
    ("InferShape_a_1", {"rows": 2}),
    ("AllocMemHbm_a_2", {"size": 64 * KIB}),
    ("Tiling_b_3", {"key": 1}),
    ("LaunchKernelWithHandle_b_4", {"blocks": 8}),
)


def with_last(*kernels: Kernel, upto: int = 4) -> tuple[Kernel, ...]:
    return (*BASE[:upto], *kernels)


@pytest.mark.parametrize(
    ("right", "states", "words"),
    [
        (BASE, "====", ""),
        (
            (("InferShape_a_1", {"rows": 8}), *BASE[1:]),
            "~===",
            "shapes out float32[2, 4] ND -> float32[8, 4] ND",
        ),
        ((BASE[0], ("AllocMemHbm_a_2", {"size": 128 * KIB}), *BASE[2:]), "=~==", "bytes 64 KiB -> 128 KiB"),
        ((*BASE[:2], ("Tiling_b_3", {"key": 7}), BASE[3]), "==~=", "tiling 1 -> 7"),
        ((*BASE[:3], ("LaunchKernelWithHandle_b_4", {"blocks": 4})), "===~", "blocks 8 -> 4"),
        (BASE[:3], "===<", "only in the left run"),
        (with_last(("Cast_c_5", {})), "====>", "only in the right run"),
        ((BASE[1], BASE[0], *BASE[2:]), "^===", "in another order"),
        ((BASE[0], ("AllocMemHbm_a_2", {}), *BASE[2:]), "=~==", "bytes 64 KiB -> none; stream 0 -> none"),
    ],
)
def test_what_differs_is_told(right: tuple[Kernel, ...], states: str, words: str) -> None:
    parties = (party_of(two_runs(BASE, right), "log"),)
    found = compare(parties, Side(0, 0), Side(0, 1))
    signs = {"same": "=", "changed": "~", "moved": "^", "left": "<", "right": ">"}
    assert "".join(signs[state_of(pair)] for pair in found.pairs) == states
    assert [difference(pair) for pair in found.pairs if not pair.same] == [words] * bool(words)
    assert found.first == (next((at for at, sign in enumerate(states) if sign != "="), -1))


def test_ids_in_names_do_not_part_two_lowerings() -> None:
    other = tuple((name.rsplit("_", 1)[0] + f"_{number + 90}", said) for number, (name, said) in enumerate(BASE))
    found = compare((party_of(two_runs(BASE, other), "log"),), Side(0, 0), Side(0, 1))
    assert all(pair.same for pair in found.pairs)


def test_the_second_of_two_equal_kernels_meets_the_second() -> None:
    twice: tuple[Kernel, ...] = (("FreeMemory_a_1", {}), ("FreeMemory_a_2", {}))
    found = compare((party_of(two_runs(twice, twice[:1]), "log"),), Side(0, 0), Side(0, 1))
    assert [(pair.key, state_of(pair)) for pair in found.pairs] == [
        (("FreeMemory", "a", 0), "same"),
        (("FreeMemory", "a", 1), "left"),
    ]


def test_a_kernel_of_the_right_run_stands_behind_the_one_it_follows() -> None:
    right = (BASE[0], ("Cast_c_5", {}), *BASE[1:])
    found = compare((party_of(two_runs(BASE, right), "log"),), Side(0, 0), Side(0, 1))
    assert [pair.key[0] for pair in found.pairs][:3] == ["InferShape", "Cast", "AllocMemHbm"]
    assert found.common == 1


def test_changes_are_summed_by_operator() -> None:
    right = (("InferShape_a_1", {"rows": 8}), ("AllocMemHbm_a_2", {"size": 128 * KIB}), *BASE[2:], ("Cast_c_5", {}))
    found = compare((party_of(two_runs(BASE, right), "log"),), Side(0, 0), Side(0, 1))
    changes = [change[:4] for change in operator_changes(found)]
    assert changes == [
        ("a", (2, 2), (64 * KIB, 128 * KIB), ("shapes out", "bytes")),
        ("c", (0, 1), (0, 0), ("only right",)),
    ]
    table = operator_list(found)
    assert " ".join(plain(table.line(0, 100)).split()) == "a 2 64 KiB -> 128 KiB shapes out, bytes"


def test_two_logs_are_compared_by_their_first_mains() -> None:
    parties = (party_of(two_runs(BASE, BASE), "one.log"), party_of(two_runs(BASE[:3], BASE), "two.log"))
    pair = usual_pair(parties)
    assert pair == (Side(0, 0), Side(1, 0))
    assert [side_text(parties, side) for side in pair] == ["one.log Main #1", "two.log Main #1"]
    assert [state_of(p) for p in compare(parties, *pair).pairs] == ["same", "same", "same", "left"]
    assert len(sides_of(parties)) == 4


def test_one_log_is_compared_by_its_last_two_mains() -> None:
    parties = (party_of(run_story(), "demo"),)
    assert usual_pair(parties) == (Side(0, 1), Side(0, 2))
    assert [side_text(parties, side) for side in sides_of(parties)] == ["Init", "Main #1", "Main #2"]


def test_a_log_of_one_run_has_nothing_to_compare() -> None:
    story = Story()
    run(story, *BASE)
    story.store.poll()
    parties = (party_of(story.store, "log"),)
    assert usual_pair(parties) is None
    assert plain(summary_lines(parties, None, 200)[0]).startswith("nothing to compare")


def test_the_glance_says_where_the_runs_part() -> None:
    right = (BASE[0], ("AllocMemHbm_a_2", {"size": 128 * KIB}), *BASE[2:])
    parties = (party_of(two_runs(BASE, right), "log"),)
    lines = [plain(line) for line in summary_lines(parties, compare(parties, Side(0, 0), Side(0, 1)), 200)]
    assert lines == [
        "left  Main #1  line 1 to 10, 4 kernels, peak 64 KiB, 180 us (measured)",
        "right Main #2  line 11 to 20, 4 kernels, peak 128 KiB, 180 us (measured)",
        "first difference: a AllocMemHbm at line 4 and 14: bytes 64 KiB -> 128 KiB; 4 kernels before it stand alike",
        "in all 1 changed",
    ]


def test_the_list_shows_what_differs_or_all() -> None:
    parties = (party_of(two_runs(BASE, BASE[:3]), "log"),)
    found = compare(parties, Side(0, 0), Side(0, 1))
    table, shown = kernel_list(parties, found, all_kernels=False)
    assert (table.count, tuple(shown)) == (1, (3,))
    assert " ".join(plain(table.line(0, 100)).split()) == "< 8 - b LaunchKernelWithHandle only in the left run"
    assert kernel_list(parties, found, all_kernels=True)[0].count == 4


def test_the_story_agrees_with_itself() -> None:
    parties = (party_of(run_story(), "demo"),)
    found = compare(parties, Side(0, 1), Side(0, 1))
    assert found.first == -1
    assert all(pair.same for pair in found.pairs)


def test_a_run_that_breaks_off_says_so() -> None:
    story = Story()
    main(story)
    main(story)
    story.store.poll()
    parties = (party_of(story.store, "demo"),)
    lines = [plain(line) for line in summary_lines(parties, compare(parties, Side(0, 0), Side(0, 1)), 200)]
    assert lines[0].endswith(", no end")


def test_a_run_of_too_many_kernels_is_compared_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("views.model.compare.KERNEL_LIMIT", 2)
    monkeypatch.setattr("views.model.compare.FACT_LIMIT", 1)
    parties = (party_of(two_runs(BASE, BASE), "log"),)
    found = compare(parties, Side(0, 0), Side(0, 1))
    assert (len(found.pairs), found.beyond, found.unread) == (2, 4, 2)
    lines = [plain(line) for line in summary_lines(parties, found, 200)]
    assert lines[-1] == "4 kernels and 2 records of these long runs were not looked at"
