"""Shape inference: the kernels that find an operator's function on Init and call it on Main.

AI Core operators and the shape-changing operators of GE share it. If each engine looked the function up itself, two
operators of one type would find it twice.

Source: spec/lowering.md 4.1 (2), the normal row and the known-shape row.
"""

from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32, StorageShape

OPP_IMPL_VERSION = Int32(0)
"""``OppImplVersion`` of the operator package: the built-in one."""


def infer_shapes(node: ComputeNode, lowered: LowerInput) -> list[ValueHolder]:
    """Shapes of all outputs: constants when the model knows every shape of the operator, else an InferShape kernel."""
    context = lowered.context
    descs = (*node.op.inputs, *node.op.outputs)
    if all(desc.shape.is_known for desc in descs):
        return [known_shape(context, out) for out in node.op.outputs]
    key = f"{node.type}_FindInferShapeFunc_{OPP_IMPL_VERSION}"
    function = context.unique_on_init(key, lambda: [find_function(context, "FindInferShapeFunc", node.type)])[0]
    return context.holders.many("InferShape", len(node.op.outputs), *lowered.shapes, function)


def known_shape(context: LoweringContext, desc: TensorDesc) -> ValueHolder:
    """The shape of a tensor as the model writes it, as a constant of the graph being written."""
    return context.holders.const(StorageShape(desc.shape, desc.storage))


def find_function(context: LoweringContext, kernel: str, op_type: str) -> ValueHolder:
    """Look a function of an operator up on Init; each look-up has its own GetSpaceRegistry (spec/lowering.md 12.12)."""
    type_name = context.holders.const(op_type)
    registry = context.selector.on_init_root(lambda: [_space_registry(context)])[0]
    return context.holders.single(kernel, type_name, context.selector.holder_on_init(registry))


def _space_registry(context: LoweringContext) -> ValueHolder:
    model_desc = context.model_desc_on_init
    return context.holders.single("GetSpaceRegistry", model_desc, context.holders.const(OPP_IMPL_VERSION))
