"""The platform an operator is compiled and tiled for: what kernels look up on Init, once per kind of core.

AI Core operators, aclnn operators and generated ones share it. If each engine asked for the platform itself, a model
would look it up once per engine.

Source: spec/lowering.md 4.1 (4).
"""

from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

CORE_TYPE_ATTR = "_cube_vector_core_type"
DEFAULT_CORE_TYPE = "AiCore"


@dataclass(frozen=True, slots=True)
class Platform:
    """Outputs of the Init node: the platform with the operator's kind of core, and the numbers of cores."""

    infos: ValueHolder
    core_numbers: ValueHolder


def platform_of(context: LoweringContext, node: ComputeNode) -> Platform:
    """Give the platform of an operator; operators of one kind of core and the same numbers of cores share it.

    Raises ModelError for a number of cores that is none.
    """
    core_type = node.op.attrs.get(CORE_TYPE_ATTR, DEFAULT_CORE_TYPE)
    options = context.options
    cores = (
        _cores(node, "_op_aicore_num", options.aicore_num),
        _cores(node, "_op_vectorcore_num", options.vector_core_num),
    )
    kind = core_type if isinstance(core_type, str) else DEFAULT_CORE_TYPE
    key = f"PlatformInfos_Append_CoreType_{kind}_{cores[0]}_{cores[1]}"
    return Platform(*context.unique_on_init(key, lambda: _append(context, kind, cores)))


def _append(context: LoweringContext, core_type: str, cores: tuple[int, int]) -> list[ValueHolder]:
    holders, selector = context.holders, context.selector
    basic = context.unique_on_init("PlatformInfo", lambda: holders.many("GetPlatformInfo", 2))
    platform = selector.holder_on_init(basic[0])
    exported = context.unique_on_init(f"CoreType_{core_type}", lambda: [holders.const(core_type)])
    wanted = selector.holder_on_init(exported[0])
    numbers = [holders.const(Int32(number)) for number in cores]
    known = selector.holder_on_init(basic[1])
    return holders.many("AppendCoreTypeToPlatform", 2, platform, wanted, *numbers, known)


def _cores(node: ComputeNode, attribute: str, default: int) -> int:
    """Cores an operator asks for itself, else those of the session."""
    value = node.op.attrs.get(attribute, "")
    if value == "":
        return default
    if not str(value).isdecimal():
        raise ModelError(f"attribute '{attribute}' of node {node.name} is no number of cores", "give it as '8'")
    return int(str(value))
