"""Operators that run on cube and vector cores at once: what their launch takes in addition.

The vector part runs on a stream of its own, which two notifies tie to the operator's. A session with a single stream
has none, so the operator is launched as an ordinary one; the constant with the numbers of cores stays, as in GE.

Source: spec/lowering.md 4.1 (mix), 2.2 (4: notifies, attached streams).
"""

from collections.abc import Sequence

from getrace.errors import ModelError
from runtime.engines.context import NOTIFIES, LoweringContext
from runtime.engines.core_platform import CORE_TYPE_ATTR
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import MixCoreArgs

CORE_NUMBERS_ATTR = "_mix_core_num_vec"
ATTACHED_STREAM_ATTR = "_attached_stream_id"
NOTIFY_IDS_ATTR = "_recv_notify_id"
_DISABLED_ATTR = "_disable_mix_vector_core"

_MIXED = frozenset({"MIX_AICORE", "MIX_VECTOR_CORE"})
_KINDS = 3
"""Numbers of cores: all, cube, vector."""
_NOTIFIES = 2
_NOTHING: tuple[list[ValueHolder], bool] = ([], False)


def mix_tail(context: LoweringContext, node: ComputeNode) -> tuple[list[ValueHolder], bool]:
    """Give the inputs behind those of an ordinary launch, and whether it is a launch on both kinds of cores.

    Raises ModelError when the operator names a stream or a notify that the model does not have.
    """
    attrs = node.op.attrs
    core_type, cores = attrs.get(CORE_TYPE_ATTR), attrs.get(CORE_NUMBERS_ATTR)
    if core_type not in _MIXED or _DISABLED_ATTR in attrs or not isinstance(cores, tuple) or len(cores) != _KINDS:
        return _NOTHING
    counts = [count for count in cores if isinstance(count, int) and count > 0]
    if len(counts) != _KINDS:
        return _NOTHING
    numbers = context.holders.const(MixCoreArgs(str(core_type), *counts))
    if context.options.single_stream or len(context.skeleton.main_streams) == 1:
        return [numbers], False
    return _with_sub_stream(context, node, numbers)


def _with_sub_stream(
    context: LoweringContext, node: ComputeNode, numbers: ValueHolder
) -> tuple[list[ValueHolder], bool]:
    """Add the stream of the vector part; without it, or without two notifies, the launch is an ordinary one."""
    stream_id = node.op.attrs.get(ATTACHED_STREAM_ATTR, -1)
    if not isinstance(stream_id, int) or stream_id < 0:
        return [numbers], False
    tail = [numbers, _of_model(node, context.skeleton.main_streams, stream_id, "stream")]
    notify_ids = node.op.attrs.get(NOTIFY_IDS_ATTR, ())
    if not isinstance(notify_ids, tuple) or len(notify_ids) != _NOTIFIES:
        return tail, False
    notifies = context.known(NOTIFIES)
    return [*tail, *(_of_model(node, notifies, number, "notify") for number in notify_ids)], True


def _of_model(node: ComputeNode, known: Sequence[ValueHolder], number: object, what: str) -> ValueHolder:
    if not isinstance(number, int) or not 0 <= number < len(known):
        raise ModelError(f"node {node.name} uses {what} {number}", f"the model has {len(known)} of them")
    return known[number]
