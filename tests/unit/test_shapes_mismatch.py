"""Sizes and shapes that do not fit, and the walk to the operator that made the tensor."""

import pytest
from compute_snapshots import graph, node, snapshot
from handmade import HandLog
from handmade_failures import ERROR, ge

from getrace.analysis.shapes import shapes_of, shapes_of_text
from getrace.analysis.shapes.facts import Mismatch
from getrace.analysis.shapes.upstream import Walker
from getrace.analysis.shapes.wordings import WORDINGS
from getrace.analysis.shapes.words import words_of_line
from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.shapes import ShapesIn, ShapesOut

UNKNOWN_SIZE = 18446744073709551615


def only(log: HandLog, *dumps: GraphSnapshot) -> Mismatch:
    store = log.store()
    store.graphs.extend(dumps)
    (found,) = shapes_of(store).mismatches
    return found


def inferred(log: HandLog, op: str, *dims: int) -> int:
    log.say(ModelStart())
    described = (("ND", "DT_FLOAT", dims),)
    log.say(ShapesIn(described, described), f"InferShape_{op}_1")
    log.say(ShapesOut(described, described), f"InferShape_{op}_1")
    log.say(ModelEnd())
    return len(dims)


def size_error(op: str, index: int, expected: int, given: int) -> str:
    return (
        f"[EXEC][EXEC][Check][Size] for [{op}(PartitionedCall)] Input[{index}]:tensor size mismatches."
        f"expected: {expected}, but given {given}."
    )


# One line that each wording claims, and the values it gives, with names of this test.
LINES = [
    ("kind.dynamic", "Begin to build unknown shape graph[mine].", {"graph": "mine"}),
    ("kind.static", "Begin to build known shape graph[mine_body].", {"graph": "mine_body"}),
    ("kind.dynamic", "Dynamic FX graph compiled to dynamic Ascend GE graph, graph id: 7", {"graph": "7"}),
    ("kind.static", "Static FX graph compiled to static Ascend GE graph, graph id: 7", {"graph": "7"}),
    ("kind.dynamic", "Read-in dynamic compiled graph sub_3", {"graph": "sub_3"}),
    ("kind.static", "Read-in static compiled graph sub_3", {"graph": "sub_3"}),
    (
        "compile",
        "[GEPERFTRACE] The time cost of GraphManager::Mine is [12] micro second.",
        {"what": "GraphManager::Mine", "us": "12"},
    ),
    ("gear.table", "index 2 dynamic dims is 4,8", {"index": "2", "dims": "4,8"}),
    ("gear.chosen", "find dynamic dims 4,8 matched, execute dynamic gear graph 1", {"dims": "4,8", "graph": "1"}),
    ("gear.none", "find dynamic dims 4,8 not matched, execute dynamic shape graph 2", {"dims": "4,8", "graph": "2"}),
    (
        "gear.asked",
        "start to execute aclmdlSetDynamicBatchSize, modelId[3], index[1], batchSize[5]",
        {"graph": "3", "dims": "5"},
    ),
    (
        "gear.none",
        "The input tensor dimension [3, 7] is not in the dynamic dimension list configured by dynamic_dims",
        {"dims": "3, 7"},
    ),
    ("gear.option", "atc --dynamic_image_size=32,32;64,64", {"gears": "32,32;64,64"}),
    ("gear.option", "npu_attrs dynamic_dims: 1,2;3,4", {"gears": "1,2;3,4"}),
    ("gear.absent", "the dynamic_batch_size parameter is not specified for model conversion", {}),
    (
        "size.output",
        "mul7(Mul) index[1] mem size out of range! Expected size: 64, but given input size: 4.",
        {"op": "mul7", "type": "Mul", "index": "1", "expected": "64", "given": "4"},
    ),
    (
        "size.input",
        "[mul7] Input[2]: tensor size mismatches. expected: 64, but given 4",
        {"op": "mul7", "index": "2", "expected": "64", "given": "4"},
    ),
    (
        "size.output",
        "Output Size mismatch. index = 0, model expect  96, but given 40",
        {"index": "0", "expected": "96", "given": "40"},
    ),
    (
        "size.input",
        "Input Size mismatch. index = 3, model expect 96, but given 40",
        {"index": "3", "expected": "96", "given": "40"},
    ),
    (
        "size.output",
        "[Check][Size] [mul7(Mul)] Tensor size is not enough. output index = 1, required size = 64, tensor = x.",
        {"op": "mul7", "type": "Mul", "index": "1", "expected": "64"},
    ),
    (
        "size.copy",
        "Failed to copy to the given buffer, given buffer size 64 is less than output tensor size 256",
        {"given": "64", "expected": "256"},
    ),
    (
        "size.copy",
        "The output tensor memory size[64] is smaller than the actual size[256] required by tensor.",
        {"given": "64", "expected": "256"},
    ),
    (
        "size.model",
        "[Check][Size]output[2] tensor size(64) is not enough for output shape [8,8], model_id = 5.",
        {"index": "2", "given": "64", "dims": "8,8"},
    ),
    (
        "size.model",
        "Check output size failed, index 0, user size 64, op size 256.",
        {"index": "0", "given": "64", "expected": "256"},
    ),
    (
        "size.gear",
        "[Check][MemSize] device buffer size[4] is less than required[8] for batch size, modelId[1]",
        {"given": "4", "expected": "8"},
    ),
    (
        "count.input",
        "[Check][Size]Input size mismatches, Input desc size 3 and input size 2 are not same",
        {"described": "3", "found": "2"},
    ),
    (
        "size.blob",
        "[Check][Size]Blob size mismatches, expect at least 128, but got 64, model_id = 5",
        {"expected": "128", "given": "64"},
    ),
    (
        "range.input",
        "[Check][Range]Dim out of range, shape idx = 1, dim idx = 0,dim = 9, range = [1, 8], model_id = 5.",
        {"index": "1", "axis": "0", "dim": "9", "low": "1", "high": "8"},
    ),
    ("range.dim", "cur dim[9] is not in shape range[1, 8]", {"dim": "9", "low": "1", "high": "8"}),
    ("range.input", "[Check][InputShape] Input [2] shape out of shape range.", {"index": "2"}),
    (
        "rule.broadcast",
        'OpName:[Spread] "[3, 4] can not broadcast to [3, 5]"',
        {"op": "Spread", "left": "[3, 4]", "right": "[3, 5]"},
    ),
    (
        "rule.broadcast",
        'OpName:[Join] "input shapes [3] cannot broadcast to shape [5]"',
        {"op": "Join", "left": "[3]", "right": "[5]"},
    ),
    (
        "rule.infer",
        "[InferShape][InferShape_mul7_5]InferShape failed, node type Mul, name mul7, error-code 4294967295",
        {"type": "Mul", "op": "mul7"},
    ),
    (
        "shape.output",
        "To allocate output for node: mul7. index = 0, tensor desc = [TensorDesc DataType = 6, Shape = [5, 2, ]",
        {"op": "mul7.", "index": "0", "dims": "5, 2, "},
    ),
]


@pytest.mark.parametrize(("name", "line", "values"), LINES)
def test_each_wording_reads_its_line(name: str, line: str, values: dict[str, str]) -> None:
    assert list(words_of_line(line)) == [(name, values)]


def test_each_wording_of_one_line_has_a_line() -> None:
    others = {"gear.shape", "gear.node", "size.input"}  # stand beside others, or have two forms
    assert {name for name, _ in WORDINGS} - others <= {name for name, _, _ in LINES}


@pytest.mark.parametrize(
    "line",
    [
        "operator infer shape v2 funcs init",
        "dynamic_dims: ",
        "OMPartition subgraph_1 begin. input_shape: , dynamic_dims: ",
        "[GEPERFTRACE] GE Init Start",
        "op [Aipp] has registered infer func shape",
    ],
)
def test_lines_that_only_look_alike_say_nothing(line: str) -> None:
    assert list(words_of_line(line)) == []


def test_an_output_has_the_shape_that_its_size_was_made_of() -> None:
    shapes = shapes_of_text(
        "a.txt",
        [
            "To allocate output for node: mul7. index = 0, tensor desc = [TensorDesc DataType = 6, Shape = [5, 2, ]",
            "mul7(Mul) index[0] mem size out of range! Expected size: 64, but given input size: 4.",
        ],
    )
    (found,) = shapes.mismatches
    assert (found.op, found.type, found.side, found.index) == ("mul7", "Mul", "output", 0)
    assert (found.expected, found.given, found.printed, found.origin) == (64, 4, (5, 2), "mul7")


def test_a_size_of_minus_one_that_is_printed_unsigned_is_unknown() -> None:
    line = f"Output Size mismatch. index = 0, model expect  {UNKNOWN_SIZE}, but given 40"
    (found,) = shapes_of_text("a.txt", [line]).mismatches
    assert (found.expected, found.given) == (None, 40)
    assert found.note == (
        "the expected size is -1, printed as unsigned: the model does not know the size of this tensor"
    )


def test_shapes_that_do_not_broadcast_say_in_which_dimension() -> None:
    line = 'OpName:[Spread] "[3, 4, 1] can not broadcast to [2, 4, 6]"'
    (found,) = shapes_of_text("a.txt", [line]).mismatches
    assert found.note == "[3, 4, 1] to [2, 4, 6]: dimension 0 is 3 against 2"


def test_the_walk_goes_out_of_a_sub_graph_and_into_the_one_that_gives_the_tensor() -> None:
    shape = (-1, 8)
    root = graph(
        "root",
        [
            node("x", "Data", [shape], [shape]),
            node("first", "PartitionedCall", [shape], [shape], subgraphs=("one",)),
            node("second", "PartitionedCall", [shape], [shape], subgraphs=("two",)),
        ],
        ("x", "first", 0),
        ("first", "second", 0),
    )
    one = graph(
        "one",
        [
            node("one_x", "Data", [shape], [shape], {"_parent_node_index": 0}),
            node("cut", "Slice", [shape], [shape]),
            node("one_out", "NetOutput", [shape]),
        ],
        ("one_x", "cut", 0),
        ("cut", "one_out", 0),
    )
    two = graph(
        "two",
        [
            node("two_x", "Data", [shape], [shape], {"_parent_node_index": 0}),
            node("add", "Add", [shape], [shape]),
        ],
        ("two_x", "add", 0),
    )
    walker = Walker(snapshot(root, one, two), {})
    found = walker.find("add")
    assert found is not None
    assert [(each.op, each.graph, each.how) for each in walker.chain(*found, 0)] == [
        ("cut", "one", "gives input 0 of add"),
        ("x", "root", "feeds cut"),
    ]


@pytest.mark.parametrize(("module", "confidence"), [("GE", "high"), ("APP", "low")])
def test_an_application_that_quotes_ge_is_not_believed_as_ge_is(module: str, confidence: str) -> None:
    log = HandLog()
    log.say(ge(size_error("call", 1, 128, 32), module=module), level=ERROR)
    log.say(ge("Begin to build unknown shape graph[g]", module=module), level=ERROR)
    shapes = shapes_of(log.store())
    assert [str(each.confidence) for each in shapes.mismatches] == [confidence]
    assert [str(each.confidence) for each in shapes.kinds] == [confidence]


def test_a_text_without_records_has_low_confidence() -> None:
    (found,) = shapes_of_text("a.txt", [size_error("call", 1, 128, 32)]).mismatches
    assert str(found.confidence) == "low"


def test_a_size_check_that_fails_leads_to_the_operator_before_and_to_what_the_log_inferred_for_it() -> None:
    dump = snapshot(
        graph(
            "g",
            [
                node("x", "Data", [(4, 8)], [(4, 8)]),
                node("cut", "Slice", [(4, 8)], [(-1, 8)]),
                node("call", "PartitionedCall", [(4, 8), (-1, 8)]),
            ],
            ("x", "call", 0),
            ("x", "cut", 0),
            ("cut", "call", 1),
        ),
        source="dump.txt",
    )
    log = HandLog()
    inferred(log, "cut", 1, 8)
    line = log.say(ge(size_error("call", 1, 128, 32)), level=ERROR)
    found = only(log, dump)
    assert (found.place.line, found.origin, found.unknown) == (line, "cut", None)
    (only_one,) = found.upstream
    assert (only_one.op, only_one.in_dump, only_one.printed) == ("cut", (-1, 8), (1, 8))
    assert only_one.seen.place is not None
    assert (only_one.seen.place.line, only_one.seen.file) == (2, "dump.txt")


def test_without_a_dump_operators_with_that_size_are_a_guess_and_the_reason_is_told() -> None:
    log = HandLog()
    inferred(log, "cut", 1, 8)
    inferred(log, "other", 2, 8)
    log.say(ge(size_error("call", 1, 128, 32)), level=ERROR)
    found = only(log)
    assert [(each.op, each.how) for each in found.upstream] == [("cut", "has an output of 32 bytes")]
    assert found.unknown is not None
    assert found.unknown.because == "there is no graph dump: these operators have an output of that size"
    assert found.unknown.switch.startswith("DUMP_GE_GRAPH=2")


def outputs_of_two(log: HandLog) -> Mismatch:
    dump = snapshot(
        graph(
            "g",
            [
                node("left", "Relu", [], [(-1, 8)]),
                node("right", "Relu", [], [(-1, 8)]),
                node("NetOutput", "NetOutput", [(-1, 8), (-1, 8)]),
            ],
            ("left", "NetOutput", 0),
            ("right", "NetOutput", 1),
        )
    )
    return only(log, dump)


def test_an_output_of_the_model_that_is_too_small_leads_to_the_operator_whose_output_needs_that_much() -> None:
    log = HandLog()
    inferred(log, "left", 1, 8)
    inferred(log, "right", 3, 8)
    log.say(ge("given buffer size 32 is less than output tensor size 96"), level=ERROR)
    found = outputs_of_two(log)
    assert (found.op, found.origin, [each.op for each in found.upstream]) == ("NetOutput", "right", ["left", "right"])


def test_an_output_of_the_model_with_an_index_needs_no_size() -> None:
    log = HandLog()
    log.say(ge("output[0] tensor size(32) is not enough for output shape [3,8], model_id = 1."), level=ERROR)
    found = outputs_of_two(log)
    assert (found.origin, found.printed, found.index) == ("left", (3, 8), 0)


def test_two_outputs_of_that_size_leave_it_open() -> None:
    log = HandLog()
    inferred(log, "left", 3, 8)
    inferred(log, "right", 3, 8)
    log.say(ge("given buffer size 32 is less than output tensor size 96"), level=ERROR)
    assert outputs_of_two(log).origin is None


def test_without_a_dump_and_without_shapes_nobody_can_tell() -> None:
    log = HandLog()
    log.say(ge(size_error("call", 1, 128, 32)), level=ERROR)
    found = only(log)
    assert (found.origin, found.upstream) == (None, ())
    assert found.unknown is not None
    assert found.unknown.because == "there is no graph dump, and no line prints inferred shapes"


def test_a_dump_of_another_model_is_told_and_not_used() -> None:
    log = HandLog()
    log.say(ge(size_error("call", 1, 128, 32)), level=ERROR)
    found = only(log, snapshot(graph("g", [node("x", "Data", [(-1,)], [(-1,)])])))
    assert found.unknown is not None
    assert found.unknown.because == "no dump beside the log has a node 'call'"


def test_a_cycle_of_sub_graphs_ends() -> None:
    data = node("in", "Data", [(-1,)], [(-1,)], {"_parent_node_index": 0})
    loop = graph("loop", [data, node("call", "PartitionedCall", [(-1,)], [(-1,)], subgraphs=("loop",))])
    edges = graph("loop", loop.nodes, ("in", "call", 0))
    walker = Walker(snapshot(edges), {})
    found = walker.find("call")
    assert found is not None
    assert len(list(walker.chain(*found, 0))) <= 8
