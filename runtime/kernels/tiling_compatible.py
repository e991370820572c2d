"""Tiling functions of the old registry, versions 3 and 4 (spec/lowering.md 11.J, 4.1).

Both get the operator and a run info to fill in. They differ in what compile information is to them; a version that is
neither is refused where GE refuses it.
"""

from typing import Any, Final

from getrace.events import Level
from getrace.events.text import LogLine
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.tiling import TilingFwkData
from runtime.kernels.tiling_outputs import TilingOutput, align_workspaces, tiling_outputs
from runtime.kernels.value_tensors import tensors_of
from runtime.ops.operator_v1 import Operator, OpRunInfo
from runtime.values import StorageShape

_FILE = "tiling_compatible.cc"
VERSIONS: Final = {3: 260, 4: 242}
"""The versions there are, each with the line of its warning; its success is said three lines below."""

_AUTO_TILING = "AutoTiling"
_OPERATOR, _COMPILE_INFO, _VERSION, _FRAMEWORK, _FIRST = range(5)


def find_compatible_tiling_func(context: KernelContext) -> int:
    """Give version, parser and function of an operator, or those of AutoTiling."""
    type_name: str = context.input(0)
    ops = context.machine.ops
    own, auto = ops.get(type_name), ops.get(_AUTO_TILING)
    found = own.old_tiling if own is not None else None
    if found is None:
        context.info((_FILE, 108, "FindOpTilingFunc"), f"Do optiling function is not found by op type[{type_name}].")
        found = auto.old_tiling if auto is not None else None
    if found is None:
        text = f"Optiling function old version of op type[{type_name}] is not found by Autotiling."
        _warn(context, 111, "FindOpTilingFunc", text)
        text = f"Node {type_name} not support v3 or v4 tiling."
        return context.error((_FILE, 141, "FindCompatibleTilingFunc"), text)
    for index, value in enumerate((found.version, found.parse, found.tiling)):
        context.set(index, value)
    return Status.SUCCESS


def compatible_tiling_parse(context: KernelContext) -> int:
    """Let the operator read its compile information, once per model."""
    operator, text, _, version, parse = (cell.value for cell in context.inputs)
    if version not in VERSIONS:
        return context.error((_FILE, 224, "CompatibleTilingParse"), "Failed to tiling parse, not support v3 or v4.")
    parsed = parse(operator, text)
    if parsed is None:
        place = (_FILE, 0, "CompatibleTilingParse")
        return context.assert_failed(place, "Assert ((op_compile_info_ptr) != nullptr) failed")
    context.set(0, parsed)
    return Status.SUCCESS


def compatible_tiling(context: KernelContext) -> int:
    """Write the shapes into the operator, ask it, and put its data into the argument block."""
    refused, status = _tile(context)
    return status or (Status.FAILED if refused else Status.SUCCESS)


def fallible_compatible_tiling(context: KernelContext) -> int:
    """The same, giving 1 as the last output when the operator refuses."""
    refused, status = _tile(context)
    if not status:
        context.set(TilingOutput.STATUS, int(refused))
    return status


def _tile(context: KernelContext) -> tuple[bool, int]:
    """Say whether the operator refused, then the kernel's own status."""
    operator: Operator = context.input(_OPERATOR)
    version: int = context.input(_VERSION)
    if version not in VERSIONS:
        text = "Failed to tiling parse, not support v3 or v4."
        return False, context.error((_FILE, 355, context.type), text)
    if status := write_shapes(context, operator, _FIRST):
        return False, status
    info = OpRunInfo()
    line = VERSIONS[version]
    spelled = f"[{operator.name}, {operator.type}]"
    if not context.input(_FRAMEWORK).function(operator, context.input(_COMPILE_INFO), info):
        _warn(context, line, "CallTilingFunc", f"Fail to call op tiling function v{version} of op{spelled}.")
        return True, Status.SUCCESS
    text = f"Do optiling v{version} succeed. op_name:{operator.name}, op_type:{operator.type}."
    context.info((_FILE, line + 3, "CallTilingFunc"), text)
    return False, _take_over(context, info)


def write_shapes(context: KernelContext, operator: Operator, first: int) -> Status:
    """Write the shapes of inputs and outputs, from input ``first`` of the kernel on, into the operator."""
    values = [cell.value for cell in context.inputs[first:]]
    split = len(operator.inputs)
    outputs = len(values) - split
    if outputs != len(operator.outputs):
        text = f"Output num on op {operator.name} is {len(operator.outputs)}, output num on context is {outputs}, "
        return context.error((_FILE, 49, context.type), f"{text}not match.", Status.PARAM_INVALID)
    tensors = tensors_of(context.machine.device.host, values)
    descs = (*operator.inputs, *operator.outputs)
    for desc, value, tensor in zip(descs, values, tensors, strict=True):
        seen = shape_of(value)
        desc.shape, desc.value = StorageShape(seen.origin, seen.storage), tensor
    return Status.SUCCESS


def _take_over(context: KernelContext, info: OpRunInfo) -> Status:
    fwk: TilingFwkData = context.input(_FRAMEWORK)
    if len(info.tiling_data) > fwk.rt_arg.capacity:
        place = (_FILE, 0, context.type)
        return context.assert_failed(place, "Assert (tiling_data->AppendData) failed")
    if status := align_workspaces(context, info.workspaces):
        return status
    fwk.rt_arg.tiling = info.tiling_data
    decided: dict[int, Any] = {
        TilingOutput.KEY: info.tiling_key,
        TilingOutput.BLOCK_DIM: info.block_dim,
        TilingOutput.ATOMIC_CLEAN: info.clear_atomic,
        TilingOutput.DATA: info.tiling_data,
        TilingOutput.COND: info.tiling_cond,
        TilingOutput.RT_ARG: fwk.rt_arg,
    }
    for index, value in decided.items():
        context.set(index, value)
    return Status.SUCCESS


def _warn(context: KernelContext, line: int, func: str, text: str) -> None:
    context.journal.say(LogLine("GE", _FILE, line, func, text), level=Level.WARNING)


KERNELS: Final = (
    Kernel("FindCompatibleTilingFunc", find_compatible_tiling_func),
    Kernel("CompatibleTilingParse", compatible_tiling_parse),
    Kernel("CompatibleTiling", compatible_tiling, outputs_creator=tiling_outputs),
    Kernel("FallibleCompatibleTiling", fallible_compatible_tiling, outputs_creator=tiling_outputs),
)
