"""Gears: the table, the gear that is equal, the nearest one, and what runs without any."""

from typing import cast

import pytest
from compute_snapshots import graph, node, snapshot
from handmade import HandLog

from getrace.analysis.shapes import shapes_of, shapes_of_text
from getrace.analysis.shapes.facts import Gears, Seen
from getrace.analysis.shapes.gears import dumped_gears, use_of
from getrace.analysis.shapes.words import words_of_text
from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.shapes import DynamicShape
from getrace.store.store import Store

PAIRS = ((1, 64), (4, 64), (4, 128), (8, 128))


def geared(*gears: tuple[int, ...]) -> GraphSnapshot:
    attrs = {f"_pred_value_{at}": gear for at, gear in enumerate(gears)}
    case = node("ascend_mbatch_shape_case", "Case", attrs={"_batch_num": len(gears), **attrs})
    return snapshot(graph("g", [case]), source="dump.txt")


def asked(log: HandLog, *dims: int) -> int:
    log.say(ModelStart())
    line = log.say(DynamicShape(dims), "GetCurDynamicShape_ascend_mbatch_shape_data_3")
    log.say(ModelEnd())
    return line


def with_dump(log: HandLog, dump: GraphSnapshot) -> Store:
    store = log.store()
    store.graphs.append(dump)
    return store


@pytest.mark.parametrize(
    ("shape", "chosen", "nearest", "covers"),
    [
        ((4, 64), 1, None, False),
        ((3, 64), None, 1, True),
        ((2, 65), None, 2, True),
        ((8, 129), None, 3, False),
        ((9, 60), None, 1, False),
        ((4,), None, None, False),
    ],
)
def test_a_gear_must_be_equal_and_the_nearest_is_the_smallest_that_is_large_enough(
    shape: tuple[int, ...], chosen: int | None, nearest: int | None, covers: bool
) -> None:
    (word,) = words_of_text("a.txt", ["find dynamic dims [1] matched, execute dynamic gear graph 3"])
    use = use_of(shape, Gears("a model", PAIRS, Seen(place=word.place)))
    assert use is not None
    assert (use.chosen, use.nearest, use.covers) == (chosen, nearest, covers)


def test_the_case_node_of_a_dump_has_the_table() -> None:
    (table,) = dumped_gears(geared((1,), (4,)))
    assert (table.name, table.gears, table.seen.file) == (
        "ascend_mbatch_shape_case in g",
        ((1,), (4,)),
        "dump.txt",
    )


def test_each_step_tells_its_gear_and_one_without_says_what_runs_instead() -> None:
    log = HandLog()
    lines = [asked(log, 4), asked(log, 3)]
    (table,) = shapes_of(with_dump(log, geared((1,), (4,), (8,)))).gears
    assert [(use.iteration, use.asked, use.chosen, use.nearest, use.covers) for use in table.uses] == [
        (1, (4,), 1, None, False),
        (2, (3,), None, 1, True),
    ]
    assert [use.runs for use in table.uses] == [
        "",
        "no gear is equal: where the host does not check, Case runs its last branch",
    ]
    assert [use.place.line for use in table.uses] == lines


def test_gears_that_nobody_tells_are_unknown_with_the_switch() -> None:
    log = HandLog()
    asked(log, 4)
    shapes = shapes_of(log.store())
    assert [(use.asked, use.chosen, use.nearest) for use in shapes.gears[0].uses] == [((4,), None, None)]
    (unknown,) = [each for each in shapes.unknown if each.what.startswith("the gears")]
    assert unknown.switch.startswith("DUMP_GE_GRAPH=2")


def test_the_option_of_the_compiler_explains_the_branch_of_a_failed_operator() -> None:
    shapes = shapes_of_text(
        "out.txt",
        [
            'atc --model=m.onnx --input_shape="ids:1,-1;mask:1,-1" --dynamic_dims "16,16;32,32;64,64"',
            "E20001: Failed to compile Op [/m/Slice_ascend_mbatch_batch_2]. (optype: [StridedSliceD])",
        ],
    )
    (table,) = shapes.gears
    assert (table.gears, table.inputs) == (((16, 16), (32, 32), (64, 64)), ("ids", "mask"))
    assert table.note == "/m/Slice is of gear 2 (64,64)"


def test_batch_sizes_are_gears_of_one_value() -> None:
    (table,) = shapes_of_text("out.txt", ["atc --model=m.onnx --dynamic_batch_size=1,2,4 --soc_version=x"]).gears
    assert table.gears == ((1,), (2,), (4,))


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        (
            "find dynamic dims [3,7] not matched, execute dynamic shape graph 2",
            "no gear is equal: the graph for any shape runs",
        ),
        (
            "The input tensor dimension [3, 7] is not in the dynamic dimension list configured by dynamic_dims",
            "no gear is equal: the call is refused",
        ),
    ],
)
def test_a_line_that_finds_no_gear_says_what_runs(line: str, runs: str) -> None:
    option = "atc --dynamic_dims=4,8;16,16"
    (table,) = shapes_of_text("out.txt", [option, line]).gears
    (use,) = table.uses
    assert (use.asked, use.chosen, use.nearest, use.covers, use.runs) == ((3, 7), None, 0, True, runs)


def test_a_model_without_gears_says_so_and_needs_no_table() -> None:
    shapes = shapes_of_text(
        "out.txt", ["[ERROR] the dynamic_batch_size parameter is not specified for model conversion"]
    )
    assert shapes.gears[0].note.startswith("the model was compiled without gears")
    assert shapes.unknown == []


def test_a_gear_with_too_many_values_does_no_harm() -> None:
    dump = geared((1,), cast("tuple[int, ...]", ("a",)))
    assert [table.gears for table in dumped_gears(dump)] == [((1,), ())]
