"""Family J, tiling: each kernel type is run (spec/lowering.md 11.J, 4.1; kerneltrace.md 3.4)."""

import ctypes
from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench

from getrace.events import Level
from getrace.events.text import LogLine
from getrace.events.tiling import Tiling, WorkspaceAppended
from runtime.kernels.context import ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.tiling import CacheableFwkData, TilingFwkData
from runtime.kernels.tiling_outputs import TilingOutput
from runtime.ops.context import TilingContext
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry, impl_op_optiling, op_add
from runtime.values import DType, StorageShape, Tensor

FAILED, PARAM_INVALID, GRAPH_PARAM_INVALID = 4294967295, 1343225857, 50331649
FLOAT = IoDesc(DType.FLOAT)
NODE = ComputeNodeInfo("op", "Mine", (FLOAT,), (FLOAT,))
LAST = (1, 2)
"""Deterministic, and the level of it."""


class Data(ctypes.LittleEndianStructure):
    _fields_ = (("length", ctypes.c_int64),)
    length: int


def shape(*dims: int) -> StorageShape:
    return StorageShape.same(dims)


def tile(context: TilingContext) -> int:
    data = context.get_tiling_data(Data)
    assert data is not None
    data.length = context.get_input_shape(0).get_storage_shape().get_shape_size()
    context.set_block_dim(data.length)
    context.set_tiling_key(7)
    context.get_workspace_sizes(2)[:] = (1, 1024)
    return 0 if data.length else FAILED


def block() -> LaunchArgs:
    return LaunchArgs(0x100, 0x200, 1, 1, 2048)


def tiling(
    bench: Workbench, kernel: str, function: Any = tile, *, in_shape: Any = None, dependency: int = 0
) -> KernelContext:
    prepare = "PrepareCacheableTilingFwkData" if kernel.startswith("Cacheable") else "PrepareTilingFwkData"
    tail = (dependency, "BuildGeneralTilingCacheKey") if kernel.startswith("Cacheable") else ()
    fwk = bench.context(prepare, function, block(), *tail)
    assert bench.run(fwk) == 0
    first = shape(3) if in_shape is None else in_shape
    outputs = 13 if "Fallible" in kernel else 12
    return bench.context(kernel, first, shape(3), None, {}, fwk.output(0), *LAST, outputs=outputs, node=NODE)


def line(count: int, cache: str | None) -> list[Any]:
    data = count.to_bytes(8, "little")
    return [Tiling(8, data, 7, 1, count, -1, cache)]


@pytest.mark.parametrize(
    ("kernel", "cache"),
    [
        ("Tiling", "disabled"),
        ("FallibleTiling", "disabled"),
        ("CacheableTiling", "missed"),
        ("CacheableFallibleTiling", "missed"),
    ],
)
def test_tiling_fills_its_outputs_and_the_argument_block(kernel: str, cache: str) -> None:
    bench = Workbench()
    context = tiling(bench, kernel)
    assert bench.traces(context) == []
    assert bench.run(context) == 0
    args: LaunchArgs = context.output(TilingOutput.RT_ARG)
    assert args.tiling == (3).to_bytes(8, "little")
    assert context.output(TilingOutput.WORKSPACES) == [512, 1024]
    assert bench.traces(context) == line(3, cache)
    if "Fallible" in kernel:
        assert context.output(TilingOutput.STATUS) == 0


@pytest.mark.parametrize(
    ("kernel", "status"),
    [("Tiling", FAILED), ("CacheableTiling", FAILED), ("FallibleTiling", 0), ("CacheableFallibleTiling", 0)],
)
def test_a_refusal_ends_the_run_or_is_an_output(kernel: str, status: int) -> None:
    bench = Workbench()
    context = tiling(bench, kernel, in_shape=shape(0))
    assert bench.run(context) == status
    if "Fallible" in kernel:
        assert context.output(TilingOutput.STATUS) == 1
        assert bench.said() == []


def again(context: KernelContext, *dims: int) -> None:
    context.inputs[0].value = shape(*dims)


def test_the_same_shapes_are_tiled_once_and_keep_their_own_block() -> None:
    bench = Workbench()
    calls: list[int] = []

    def counted(context: TilingContext) -> int:
        calls.append(context.get_input_shape(0).get_storage_shape().get_dim(0))
        return tile(context)

    context = tiling(bench, "CacheableTiling", counted)
    assert bench.run(context) == 0
    first: LaunchArgs = context.output(TilingOutput.RT_ARG)
    again(context, 4)
    assert bench.run(context) == 0
    second: LaunchArgs = context.output(TilingOutput.RT_ARG)
    again(context, 3)
    assert bench.run(context) == 0
    assert calls == [3, 4]
    assert context.output(TilingOutput.RT_ARG) is first
    assert first.handle != second.handle
    assert bench.traces(context) == line(3, "hit")
    assert context.output(TilingOutput.WORKSPACES) == [512, 1024]


def test_what_was_put_behind_the_data_is_gone_after_a_hit() -> None:
    bench = Workbench()
    context = tiling(bench, "CacheableTiling")
    assert bench.run(context) == 0
    context.output(TilingOutput.RT_ARG).tiling += bytes(8)
    context.output(TilingOutput.WORKSPACES)[0] += 100
    assert bench.run(context) == 0
    assert len(context.output(TilingOutput.RT_ARG).tiling) == 8
    assert context.output(TilingOutput.WORKSPACES) == [512, 1024]


def test_a_hit_does_not_set_the_schedule_mode_again() -> None:
    """GE's ``ApplyTilingCache`` leaves it out, so the mode of the last miss stays."""
    bench = Workbench()

    def moded(context: TilingContext) -> int:
        context.set_schedule_mode(context.get_input_shape(0).get_storage_shape().get_dim(0))
        return tile(context)

    context = tiling(bench, "CacheableTiling", moded)
    modes: list[int] = []
    for length in (3, 4, 3):
        again(context, length)
        assert bench.run(context) == 0
        modes.append(context.output(TilingOutput.SCHEDULE_MODE))
    assert modes == [3, 4, 4]


def test_of_120_results_the_8_least_used_go_first() -> None:
    bench = Workbench()
    context = tiling(bench, "CacheableTiling")
    seen: list[str] = []
    for length in [*range(1, 121), 1, 121, 2, 1, 10]:
        again(context, length)
        assert bench.run(context) == 0
        seen.append(context.output(TilingOutput.RT_ARG).cache)
    assert seen[:120] == ["missed"] * 120
    assert seen[120:] == ["hit", "missed", "missed", "hit", "hit"]
    bundle: CacheableFwkData = context.input(4)
    assert len(bundle.cache) == 114


@pytest.mark.parametrize(
    ("count", "on_host", "states"),
    [(2, True, ["missed", "hit", "missed"]), (2000, True, ["disabled"] * 3), (2, False, ["disabled"] * 3)],
)
def test_values_that_tiling_reads_belong_to_the_key(count: int, *, on_host: bool, states: list[str]) -> None:
    bench = Workbench()
    values = np.arange(count, dtype=np.int64)
    tensor = bench.host_tensor(values, DType.INT64) if on_host else Tensor(shape(count), DType.INT64)
    context = tiling(bench, "CacheableTiling", in_shape=tensor, dependency=1)
    seen: list[str] = []
    for changed in (False, False, True):
        if changed and tensor.data is not None:
            bench.machine.device.host.write(tensor.data.addr, (values + 1).tobytes())
        assert bench.run(context) == 0
        seen.append(context.output(TilingOutput.RT_ARG).cache)
    assert seen == states


def ops_with(*names: str) -> OpRegistry:
    ops = OpRegistry()
    for name in names:
        op_add(ops, OpDef(name, (), ()))
    return ops


@pytest.mark.parametrize("owner", ["Mine", "DefaultImpl"])
def test_a_tiling_function_is_found_by_type_or_the_default_serves(owner: str) -> None:
    bench = Workbench()
    ops = ops_with("Mine", "DefaultImpl")
    impl_op_optiling(ops, owner, tile, None, lambda text, platform: (text, platform["cores"]))
    found = bench.context("FindTilingFunc", "Mine", ops)
    assert bench.run(found) == 0
    assert found.output(0) is tile
    parsed = bench.context("TilingParse", "{}", {"cores": 24}, "Mine", ops)
    assert bench.run(parsed) == 0
    assert parsed.output(0) == ("{}", 24)


def test_the_platform_knows_its_cores_and_an_operator_may_have_its_own() -> None:
    bench = Workbench()
    info = bench.context("GetPlatformInfo", outputs=2)
    assert bench.run(info) == 0
    cores = info.output(1)
    own = bench.context("AppendCoreTypeToPlatform", info.output(0), "AiCore", 5, -1, cores, outputs=2)
    assert bench.run(own) == 0
    assert own.output(1) == {"aicore_num": 5, "vector_core_num": cores["vector_core_num"]}
    assert (own.output(0)["core_type"], own.output(0)["aicore_num"]) == ("AiCore", 5)


@pytest.mark.parametrize(
    ("tiled", "known", "sizes"), [([], [32, 64], (32, 64)), ([512], [32, 64], (512, 64)), ([], [-1, 7], (0, 7))]
)
def test_known_workspaces_stand_behind_those_of_tiling(
    tiled: list[int], known: list[int], sizes: tuple[int, ...]
) -> None:
    bench = Workbench()
    context = bench.context("TilingAppendWorkspace", tiled, known)
    assert bench.run(context) == 0
    assert bench.traces(context) == [WorkspaceAppended(len(tiled), 2, 2, sizes)]


def dfx(bench: Workbench, args: LaunchArgs, *, check: bool, exception: bool, para: int = 0) -> KernelContext:
    return bench.context(
        "TilingAppendDfxInfo", shape(3), shape(3), 64, args, [512], para, check, exception, (0, 0), (0, 1), node=NODE
    )  # fmt: skip


def infos(bench: Workbench) -> list[str]:
    return [item.event.text for item in bench.recorder.heard if isinstance(item.event, LogLine)]


def test_an_exception_dump_finds_its_launch_by_a_number_behind_the_data() -> None:
    bench = Workbench()
    args = block()
    args.tiling = bytes(8)
    context = dfx(bench, args, check=False, exception=True)
    assert bench.run(context) == 0
    assert args.tiling == bytes(8) + (1).to_bytes(8, "little")
    assert context.output(0) == [512]
    head = "[TilingAppendDfxInfo] capacity: 2048, data size: 8, args size: 3, workspace size: 1, shape size: 4"
    assert infos(bench)[0] == head
    assert len(infos(bench)) == 8
    args.cache = "hit"
    assert bench.run(context) == 0
    assert len(infos(bench)) == 8
    assert args.tiling[-8:] == (2).to_bytes(8, "little")


@pytest.mark.parametrize(("para", "start"), [(0, 8), (32, 32)])
def test_a_memory_check_finds_all_sizes_behind_the_data(para: int, start: int) -> None:
    bench = Workbench()
    args = block()
    args.tiling = b"\1" * 5
    assert bench.run(dfx(bench, args, check=True, exception=False, para=para)) == 0
    assert args.tiling[:start] == (b"\1" * 5).ljust(start, b"\0")
    assert np.frombuffer(args.tiling[start:], "<u8").tolist() == [0, 64, 512]


@pytest.mark.parametrize(
    ("check", "capacity", "text"),
    [
        (False, 12, "Append atomic_index failed, tilingData size=8, capacity=12"),
        (True, 12, "Assert ((append_size_ptr) != nullptr) failed"),
    ],
)
def test_a_block_that_is_full_is_said(capacity: int, text: str, *, check: bool) -> None:
    bench = Workbench()
    args = LaunchArgs(0, 0, 1, 1, capacity)
    args.tiling = bytes(8)
    assert bench.run(dfx(bench, args, check=check, exception=not check)) == PARAM_INVALID
    assert bench.said() == [text]


def test_tiling_of_ffts_tasks_has_no_block_and_no_cache() -> None:
    bench = Workbench()
    context = bench.context("TilingLegacy", shape(3), shape(3), None, {}, tile, outputs=11, node=NODE)
    assert bench.traces(context) == []
    assert bench.run(context) == 0
    assert bench.traces(context) == line(3, None)
    assert context.output(TilingOutput.WORKSPACES) == [512, 1024]


def test_the_clean_of_an_operator_is_tiled_by_sizes() -> None:
    bench = Workbench()
    node = ComputeNodeInfo("op_AtomicClean", "MemSet", (IoDesc(DType.INT64),) * 2, ())
    function = bench.machine.ops.find("MemSet").tiling
    assert function is not None
    fwk = TilingFwkData(function, block())
    context = bench.context("Tiling", [512], 64, None, {}, fwk, *LAST, outputs=12, node=node)
    assert bench.run(context) == 0
    assert context.output(TilingOutput.BLOCK_DIM) == 1


def test_a_refused_operator_without_another_kernel_fails() -> None:
    bench = Workbench()
    assert bench.run(bench.context("ReportRollbackError", None, outputs=0)) == FAILED
    assert bench.said() == ["[ReportRollbackError][k]AiCore tiling failed, and the rollback for aicpu also failed."]


@pytest.mark.parametrize(
    ("sizes", "buffer", "grown", "warned"),
    [([512, 64], 100, [612, 64], 0), ([], 100, [], 1), ([512], 0, [512], 1)],
)
def test_room_for_prints_is_added_to_the_first_workspace(
    sizes: list[int], buffer: int, grown: list[int], warned: int
) -> None:
    bench = Workbench()
    context = bench.context("ExpandDfxWorkspaceSize", sizes, buffer, outputs=0)
    assert bench.run(context) == 0
    assert context.input(0) == grown
    assert [item.level for item in bench.recorder.heard] == [Level.WARNING] * warned


def op_tiling(bench: Workbench, kernel: str, condition: int, data: bytes | None = b"\1\2\3") -> KernelContext:
    results: list[Any] = [7, 24, True, data, [], condition, 0, 0, 0, 0, 0, None]
    return bench.context(kernel, *results, 3, outputs=4)


def test_results_of_tiling_become_tensors_on_the_host() -> None:
    bench = Workbench()
    context = op_tiling(bench, "BuildOpTilingUnmanagedTensorData", 1)
    assert bench.run(context) == bench.run(context) == 0
    found = [bench.machine.device.host.read(cell.value.addr, cell.value.size) for cell in context.outputs]
    assert found == [b"\1\2\3", (7).to_bytes(8, "little"), (24).to_bytes(4, "little"), (1).to_bytes(4, "little")]
    assert context.output(0).stream == 3
    shapes = op_tiling(bench, "BuildOpTilingOutputShape", 1)
    assert bench.run(shapes) == 0
    assert [cell.value for cell in shapes.outputs] == [shape(3), shape(), shape(), shape()]


def test_results_of_tiling_that_are_no_tensors_are_refused() -> None:
    bench = Workbench()
    assert bench.run(op_tiling(bench, "BuildOpTilingUnmanagedTensorData", -1)) == GRAPH_PARAM_INVALID
    assert bench.run(op_tiling(bench, "BuildOpTilingOutputShape", 1, None)) == GRAPH_PARAM_INVALID
    assert bench.said() == [
        "kOutputTilingCond value:-1 is invalid which should be >= 0.",
        "Get tilling data nullptr result for build output shape failed.",
    ]
