"""Shape inference by a rule that came with the model (spec/lowering.md 11.I, 4.1)."""

from typing import Final

from runtime.kernels.context import KernelContext
from runtime.kernels.infer_shape import give_shapes, infer_context, infer_outputs, trace_infer_shape
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.ops.shape_rule import ShapeRule, shape_rule_from_json

_NO_JSON = ("infer_shape.cc", 0, "LoadShapeRuleFromJson")
_BROKEN = ("infer_shape.cc", 87, "InferShapeByRule")
_INFER = ("infer_shape.cc", 90, "InferShapeByRule")
_TRANSFORM = ("infer_shape.cc", 95, "InferShapeByRule")
_JSON_OF_BINARY = 2


def rule_outputs(context: KernelContext) -> int:
    """Make the handle; the rule comes with the run."""
    context.outputs[0].own(ShapeRule("no rule was loaded"))
    return Status.SUCCESS


def load_rule_from_json(context: KernelContext) -> int:
    """Read a rule, once per model. One that cannot be read is said when it is used."""
    return _load(context, context.input(0))


def load_rule_from_binary(context: KernelContext) -> int:
    """Read the json that comes with a compiled rule; the machine code is for a processor that is not simulated."""
    return _load(context, context.input(_JSON_OF_BINARY))


def _load(context: KernelContext, text: str | None) -> int:
    if text is None:
        return context.assert_failed(_NO_JSON, "Assert ((rule_json) != nullptr) failed")
    context.set(0, shape_rule_from_json(text))
    return Status.SUCCESS


def infer_shape_by_rule(context: KernelContext) -> int:
    """Evaluate the rule."""
    node = context.compute_node
    rule: ShapeRule = context.input(len(context.inputs) - 1)
    if rule.error:
        return context.assert_failed(_BROKEN, f'Assert ((*rule)->Error() == "") failed, {rule.error}')
    seen = infer_context(context, context.inputs[:-1])
    if status := rule.infer(seen):
        context.kernel_error(_INFER, f"Failed infer shape for node {node.name}({node.type})")
        return status
    if not give_shapes(context, seen.output_shapes):
        return context.kernel_error(_TRANSFORM, f"Failed transfer shape format for node {node.name}({node.type})")
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("LoadShapeRuleFromJson", load_rule_from_json, outputs_creator=rule_outputs),
    Kernel("LoadShapeRuleFromBinary", load_rule_from_binary, outputs_creator=rule_outputs),
    Kernel(
        "InferShapeByRule",
        infer_shape_by_rule,
        outputs_creator=infer_outputs,
        trace_printer=trace_infer_shape,
    ),
)
