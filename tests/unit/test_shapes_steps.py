"""Shapes per step, new shapes and what they cost, on small logs made by hand."""

import pytest
from handmade import HandLog

from getrace.analysis.shapes import observed, shapes_of
from getrace.events import Level
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.shapes import Dims, ExtShapesOut, NodeType, ShapesIn, ShapesOut, TensorSize
from getrace.events.text import LogLine
from getrace.events.tiling import Tiling


def tensor(*dims: int) -> tuple[tuple[str, str, Dims], ...]:
    return (("ND", "DT_FLOAT", dims),)


def infer(log: HandLog, kernel: str, dims: Dims, *, level: Level = Level.INFO, tid: int = 1432) -> int:
    log.say(NodeType("Relu"), kernel, level=level, tid=tid)
    line = log.say(ShapesIn(tensor(*dims), tensor(*dims)), kernel, level=level, tid=tid)
    log.say(ShapesOut(tensor(*dims), tensor(*dims)), kernel, level=level, tid=tid)
    return line


def step(log: HandLog, *dims: int, tiled: bool = True) -> None:
    log.say(ModelStart())
    log.say(KernelEnd(), "SplitDataTensor_x_1")
    log.say(TensorSize(dtype=0, dims=dims, size=544), "CalcTensorSizeFromStorage_x_2")
    infer(log, "InferShape_act_3", dims)
    if tiled:
        log.say(Tiling(size=0, data=b"", key=1, cache="missed"), "CacheableTiling_act_4", step_ns=7_000)
    log.say(ModelEnd())


def test_each_step_has_the_shapes_of_its_inputs_and_what_changed() -> None:
    log = HandLog()
    for rows in (4, 4, 6):
        step(log, rows, 8)
    shapes = shapes_of(log.store())
    assert [(each.iteration, each.inputs, each.operators) for each in shapes.steps] == [
        (1, {"x": (4, 8)}, 1),
        (2, {"x": (4, 8)}, 1),
        (3, {"x": (6, 8)}, 1),
    ]
    changed = [[(each.op, each.type, each.inputs, each.outputs) for each in step.changed] for step in shapes.steps]
    assert changed == [[("act", "Relu", ((4, 8),), ((4, 8),))], [], [("act", "Relu", ((6, 8),), ((6, 8),))]]
    assert [step.start.line for step in shapes.steps] == [1, 9, 17]


def test_a_new_shape_tells_what_infer_shape_and_tiling_took_and_who_says_so() -> None:
    log = HandLog()
    step(log, 4, 8)
    step(log, 6, 8)
    (new,) = shapes_of(log.store()).fresh
    assert (new.iteration, new.operated.op, new.operated.inputs, new.place.line) == (2, "act", ((6, 8),), 13)
    assert (new.infer.ns, new.infer.provenance) == (3_000, "inferred")
    assert (new.tiling.ns, new.tiling.provenance, new.tiling_cache) == (7_000, "inferred", "missed")
    assert new.compile.ns is None
    assert new.compile.because.startswith("no GEPERFTRACE line between the step before and this one")


def test_a_shape_that_was_there_before_is_not_new() -> None:
    log = HandLog()
    for rows in (4, 6, 4, 6):
        step(log, rows, 8)
    assert [new.iteration for new in shapes_of(log.store()).fresh] == [2]


def test_a_time_that_nobody_knows_is_unknown_and_not_zero() -> None:
    log = HandLog()
    step(log, 4, 8, tiled=False)
    step(log, 6, 8, tiled=False)
    (new,) = shapes_of(log.store()).fresh
    assert (new.tiling.ns, new.tiling_cache) == (None, None)
    assert new.tiling.because.startswith("no tiling record of this operator in this step")


def test_what_ge_measured_of_a_compilation_belongs_to_the_step_that_comes_next() -> None:
    log = HandLog()
    step(log, 4, 8)
    said = "[GEPERFTRACE] The time cost of {} is [{}] micro second."
    for what, cost in (("GraphManager::Build", 1500), ("Sub::Part", 900)):
        log.say(LogLine("GE", "graph_manager.cc", 1, "Build", said.format(what, cost)))
    step(log, 6, 8)
    shapes = shapes_of(log.store())
    assert [(each.what, each.cost.ns, each.before) for each in shapes.compiled] == [
        ("GraphManager::Build", 1_500_000, (1, 2)),
        ("Sub::Part", 900_000, (1, 2)),
    ]
    (new,) = shapes.fresh
    assert (new.compile.ns, new.compile.provenance) == (1_500_000, "measured")


def test_a_kernel_that_failed_has_inputs_and_no_outputs() -> None:
    log = HandLog()
    log.say(ModelStart())
    infer(log, "InferShape_act_3", (4, 8), level=Level.ERROR)
    (only,) = shapes_of(log.store()).steps
    assert [(each.inputs, each.outputs) for each in only.changed] == [(((4, 8),), None)]


def test_shapes_that_are_read_back_after_the_launch_replace_what_was_inferred() -> None:
    log = HandLog()
    log.say(ModelStart())
    infer(log, "InferShape_act_3", (64,))
    log.say(ExtShapesOut(original=((5,),), storage=((5,),)), "GetExtOutputShapes_act_9")
    (only,) = shapes_of(log.store()).steps
    assert [(each.inputs, each.outputs) for each in only.changed] == [(((64,),), ((5,),))]


def test_a_worker_belongs_to_the_open_run_and_to_none_when_two_are_open() -> None:
    log = HandLog()
    log.say(ModelStart(), tid=1)
    infer(log, "InferShape_a_1", (2,), tid=9)
    log.say(ModelStart(), tid=2)
    infer(log, "InferShape_b_2", (3,), tid=9)
    log.say(ModelEnd(), tid=1)
    log.say(ModelEnd(), tid=2)
    shapes = shapes_of(log.store())
    assert [[each.op for each in step.changed] for step in shapes.steps] == [["a"]]


def test_rows_that_surely_say_something_new_are_read_first_and_the_others_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(observed, "ROWS", 9)
    log = HandLog()
    for rows in (4, 4, 4, 4, 6):
        step(log, rows, 8)
    shapes = shapes_of(log.store())
    assert shapes.left_out == {"steps": 2, "shape_records": 6}


def test_a_log_without_shapes_says_nothing_of_them() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(KernelEnd(), "FreeMemory_a_1")
    log.say(ModelEnd())
    assert not shapes_of(log.store()).speaks


def test_an_input_that_changes_is_a_reason_with_the_dimension_that_does() -> None:
    log = HandLog()
    for rows in (4, 6, 9):
        step(log, rows, 8)
    reasons = [each for each in shapes_of(log.store()).dynamic if each.kind == "value"]
    assert [(each.name, each.dims) for each in reasons] == [("x", (0,))]
    assert reasons[0].why == "its shape changes between steps: [4, 8], in iteration 2 [6, 8], dimension 0"


@pytest.mark.parametrize(
    ("kernel", "shape_class"),
    [
        ("GetExtOutputShapes_pick_7", 3),
        ("SetOutputShape_pick_7", 3),
        ("GetOutputShapeFromHbmBuffer_pick_7", 4),
        ("GetOutputShapeFromHbmBuffer_pick_FakeMemCpy_7", 4),
    ],
)
def test_the_kernels_around_an_operator_show_its_class(kernel: str, shape_class: int) -> None:
    log = HandLog()
    log.say(ModelStart())
    infer(log, "InferShape_other_1", (4,))
    line = log.say(KernelEnd(), kernel)
    (reason,) = shapes_of(log.store()).dynamic
    assert (reason.name, reason.shape_class, reason.first) == ("pick", shape_class, True)
    assert reason.seen.place is not None
    assert reason.seen.place.line == line
