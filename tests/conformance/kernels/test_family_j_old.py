"""Family J, tiling functions of the old registry: each kernel type is run (spec/lowering.md 11.J, 4.1)."""

from typing import Any

import pytest
from kernel_runs import Workbench

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.kernels.context import ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.tiling import TilingFwkData
from runtime.kernels.tiling_outputs import TilingOutput
from runtime.ops.op_def import OpDef
from runtime.ops.operator_v1 import OldTiling, Operator, OpRunInfo
from runtime.ops.registry import op_add, register_op_tiling
from runtime.values import DType, StorageShape

FAILED, PARAM_INVALID = 4294967295, 1343225857
FLOAT = IoDesc(DType.FLOAT)
NODE = ComputeNodeInfo("op", "Mine", (FLOAT,), (FLOAT,))


def shape(*dims: int) -> StorageShape:
    return StorageShape.same(dims)


def infos(bench: Workbench) -> list[str]:
    return [item.event.text for item in bench.recorder.heard if isinstance(item.event, LogLine)]


def old_tile(operator: Operator, compile_info: Any, info: OpRunInfo) -> bool:
    info.block_dim = operator.get_input_desc(0).shape.storage.elements
    info.tiling_key, info.workspaces, info.tiling_data = 9, [10], compile_info
    return info.block_dim > 0


def parse(_operator: Operator, text: str) -> bytes:
    return text.encode()


@pytest.mark.parametrize(("version", "owner"), [(3, "Mine"), (4, "Mine"), (4, "AutoTiling")])
def test_the_old_registry_has_a_version_a_parser_and_a_function(version: int, owner: str) -> None:
    bench = Workbench()
    op_add(bench.machine.ops, OpDef("Mine", (), ()))
    if owner not in {op.name for op in bench.machine.ops}:
        op_add(bench.machine.ops, OpDef(owner, (), ()))
    register_op_tiling(bench.machine.ops, owner, OldTiling(version, parse, old_tile))
    found = bench.context("FindCompatibleTilingFunc", "Mine", outputs=3)
    assert bench.run(found) == 0
    assert [cell.value for cell in found.outputs] == [version, parse, old_tile]
    parsed = bench.context("CompatibleTilingParse", None, "info", "key", version, parse)
    assert bench.run(parsed) == 0
    assert parsed.output(0) == b"info"


def test_an_operator_without_old_tiling_is_refused() -> None:
    bench = Workbench()
    assert bench.run(bench.context("FindCompatibleTilingFunc", "Mine", outputs=3)) == FAILED
    assert bench.said() == ["Node Mine not support v3 or v4 tiling."]
    assert bench.run(bench.context("CompatibleTilingParse", None, "info", "key", 2, parse)) == FAILED
    assert bench.said()[1] == "Failed to tiling parse, not support v3 or v4."


def old_tiling(bench: Workbench, kernel: str, first: StorageShape, version: int = 3) -> KernelContext:
    operator = bench.context("CreateOpFromBuffer", b"", 0, node=NODE)
    function: Any = old_tile
    bundle = TilingFwkData(function, LaunchArgs(0x100, 0x200, 1, 1, 2048))
    last = old_tile if kernel == "CompatibleTilingLegacy" else bundle
    outputs = {"CompatibleTiling": 12, "FallibleCompatibleTiling": 13, "CompatibleTilingLegacy": 11}[kernel]
    head = (operator.output(0), b"info", version, last)
    return bench.context(kernel, *head, first, shape(5), outputs=outputs, node=NODE)


@pytest.mark.parametrize("kernel", ["CompatibleTiling", "FallibleCompatibleTiling", "CompatibleTilingLegacy"])
@pytest.mark.parametrize("version", [3, 4])
def test_old_tiling_functions_decide_the_same_things(kernel: str, version: int) -> None:
    bench = Workbench()
    context = old_tiling(bench, kernel, shape(5), version)
    assert bench.run(context) == 0
    assert (context.output(TilingOutput.KEY), context.output(TilingOutput.BLOCK_DIM)) == (9, 5)
    assert (context.output(TilingOutput.DATA), context.output(TilingOutput.WORKSPACES)) == (b"info", [512])
    assert infos(bench) == [f"Do optiling v{version} succeed. op_name:op, op_type:Mine."]


@pytest.mark.parametrize(
    ("kernel", "status", "level"),
    [
        ("CompatibleTiling", FAILED, Level.WARNING),
        ("FallibleCompatibleTiling", 0, Level.WARNING),
        ("CompatibleTilingLegacy", PARAM_INVALID, Level.ERROR),
    ],
)
def test_old_tiling_functions_may_refuse(kernel: str, status: int, level: Level) -> None:
    bench = Workbench()
    context = old_tiling(bench, kernel, shape(0))
    assert bench.run(context) == status
    said = [(item.level, item.event.text) for item in bench.recorder.heard if isinstance(item.event, LogLine)]
    assert said == [(level, "Fail to call op tiling function v3 of op[op, Mine].")]
    if kernel == "FallibleCompatibleTiling":
        assert context.output(TilingOutput.STATUS) == 1
