"""Models on the smaller engines, whole: lowered, optimised, run for some steps, and nothing left behind."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from getrace.bus import Bus
from getrace.dumps.snapshot import AttrValue
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, RunResult, run_model
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import OpDesc, nd_desc
from runtime.values import DType

Array = npt.NDArray[Any]
Build = Callable[[GraphBuilder, Output], Output]
HCOM, RTS = "hcom", "DNN_VM_RTS_OP_STORE"
HANDLE = [nd_desc((), DType.RESOURCE)]


def number(graph: GraphBuilder, name: str, value: float, dtype: DType = DType.INT64) -> Output:
    return graph.const(name, (), np.array(value, dtype.numpy).tobytes(), dtype)


def ran(build: Build, steps: int = 3) -> RunResult:
    graph = GraphBuilder("model")
    model = graph.output(build(graph, graph.data("x", (4,)))).build()
    return run_model(Model("model", model), RunOptions(steps=steps), Bus(now=int))


def result(found: RunResult) -> Array:
    assert (found.status, found.fault, found.leaked_bytes) == (0, "", 0)
    (array,) = found.outputs.values()
    return array


def collective(type_name: str, attrs: dict[str, AttrValue], rows: int = 4) -> Build:
    return lambda graph, x: graph.op(type_name, x, engine=HCOM, attrs=attrs, outputs=[nd_desc((rows,))])


def prefetched(graph: GraphBuilder, x: Output) -> Output:
    y = graph.op("Neg", x)
    model = y.node.graph
    cmo = model.add(OpDesc("cmo", "Cmo", (y.desc,), (), RTS, attrs={"type": 6}))
    model.connect(y.node, 0, cmo, 0)
    return y


MIX: dict[str, AttrValue] = {
    "_ge_attr_lowering_func": "ffts_mix_l2_lower_func",
    "_kernel_names_prefix": ("_mix_aic", "_mix_aiv"),
    "_unknown_shape": True,
    "op_para_size": 32,
    "compile_info_json": "{}",
}


def second_of_a_sequence(graph: GraphBuilder, x: Output) -> Output:
    sequence = graph.op("SequenceConstruct", x, graph.op("Neg", x), engine=GE_LOCAL, outputs=HANDLE)
    longer = graph.op("SequenceInsert", sequence, x, number(graph, "zero", 0), engine=GE_LOCAL, outputs=HANDLE)
    return graph.op("SequenceAt", longer, number(graph, "last", -1), engine=GE_LOCAL, outputs=[nd_desc((4,))])


def length_of_a_sequence(graph: GraphBuilder, x: Output) -> Output:
    sequence = graph.op("SequenceConstruct", x, x, x, engine=GE_LOCAL, outputs=HANDLE)
    shorter = graph.op("SequenceErase", sequence, engine=GE_LOCAL, outputs=HANDLE)
    return graph.op("SequenceLength", shorter, engine=GE_LOCAL, outputs=[nd_desc((), DType.INT64)])


MODELS: Sequence[tuple[Build, Callable[[Array], Array]]] = [
    (collective("HcomAllReduce", {"reduction": "sum"}), lambda x: x),
    (collective("HcomAllGather", {"rank_size": 2}, 8), lambda x: np.tile(x, 2)),
    (collective("HcomReduceScatter", {"rank_size": 2, "reduction": "sum"}, 2), lambda x: 2 * x[:2]),
    (collective("HcomBroadcast", {"root_rank": 0}), lambda x: x),
    (lambda graph, x: graph.op("Add", x, x, engine="dvpp_ops_kernel"), lambda x: x + x),
    (lambda graph, x: graph.op("Neg", graph.op("Add", x, x, engine="DNN_VM_CUSTOM_OP_STORE")), lambda x: -x - x),
    (
        lambda graph, x: graph.op("NPUGetFloatStatus", x, engine=RTS, outputs=[nd_desc((8,))]),
        lambda _: np.zeros(8, np.float32),
    ),
    (prefetched, lambda x: -x),
    (lambda graph, x: graph.op("Add", x, x, attrs=MIX), lambda x: x + x),
    (lambda graph, x: graph.op("Add", x, x, attrs={**MIX, "_unknown_shape": False}), lambda x: x + x),
    (
        lambda graph, x: graph.op("AddExample", x, x, attrs={**MIX, "_unknown_shape": False, "_tiling_data_str": "6"}),
        lambda x: x + x,
    ),
    (second_of_a_sequence, lambda x: -x),
    (length_of_a_sequence, lambda _: np.array(2)),
]


@pytest.mark.parametrize(("build", "expected"), MODELS)
def test_a_model_on_a_small_engine_gives_what_numpy_gives(build: Build, expected: Callable[[Array], Array]) -> None:
    found = ran(build)
    wanted = expected(found.inputs["x"])
    assert result(found).tolist() == wanted.tolist()


def uniform(graph: GraphBuilder, _x: Output) -> Output:
    limits = [number(graph, name, value, DType.FLOAT) for name, value in (("low", 2), ("high", 3))]
    given = [number(graph, "count", 4), number(graph, "seed", 7), *limits]
    attrs: dict[str, AttrValue] = {
        "workspace_bytes": (48, 48),
        "dsa_seed_by_address": 1,
        "dsa_count_by_address": 1,
        "dsa_input_by_address": 1,
    }
    return graph.op("DSARandomUniform", *given, engine="DSAEngine", outputs=[nd_desc((4,))], attrs=attrs)


def test_random_numbers_go_on_from_step_to_step_and_repeat_from_run_to_run() -> None:
    drawn = [result(ran(uniform, steps)).tolist() for steps in (1, 2, 2)]
    assert drawn[0] != drawn[1] == drawn[2]
    assert all(2 <= value < 3 for values in drawn for value in values)
