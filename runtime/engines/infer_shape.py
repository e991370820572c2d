"""Shape inference: the kernels that find an operator's function on Init and call it on Main.

AI Core operators, the AI CPU and the shape-changing operators of GE share it. If each engine looked the function up
itself, two operators of one type would find it twice.

Source: spec/lowering.md 4.1 (2): the normal row, the known-shape row, the rule and the function of the old register.
"""

from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import OperatorBuffer
from runtime.values import Int32, StorageShape

OPP_IMPL_VERSION = Int32(0)
"""``OppImplVersion`` of the operator package: the built-in one."""

RULE_ATTR = "_inference_rule"
RULE_BINARY_ATTR = "_inference_rule_binary"
"""A rule that says the output shapes of an operator, as JSON, and what a compiler made of it."""


def has_known_shapes(node: ComputeNode) -> bool:
    """Whether the model knows every shape of an operator."""
    return all(desc.storage.is_known for desc in (*node.op.inputs, *node.op.outputs))


def known_shapes(context: LoweringContext, node: ComputeNode) -> list[ValueHolder]:
    """Give the output shapes as the model says them."""
    return [known_shape(context, out) for out in node.op.outputs]


def infer_storage_shapes(context: LoweringContext, node: ComputeNode, shapes: list[ValueHolder]) -> list[ValueHolder]:
    """Infer all output shapes at run time: by the operator's function, its rule, or one of the old register."""
    if context.options.library.traits(node.type).infer_shape:
        key = f"{node.type}_FindInferShapeFunc_{OPP_IMPL_VERSION}"
        function = context.unique_on_init(key, lambda: [find_function(context, "FindInferShapeFunc", node.type)])[0]
        return context.holders.many("InferShape", len(node.op.outputs), *shapes, function)
    rule = node.op.attrs.get(RULE_ATTR)
    if isinstance(rule, str) and rule:
        loaded = context.unique_on_init(rule, lambda: [_load_rule(context, node, rule)])[0]
        return context.holders.many("InferShapeByRule", len(node.op.outputs), *shapes, loaded)
    return _infer_by_old_register(context, node, shapes)


def known_shape(context: LoweringContext, desc: TensorDesc) -> ValueHolder:
    """The shape of a tensor as the model writes it, as a constant of the graph being written."""
    return context.holders.const(StorageShape(desc.shape, desc.storage))


def find_function(context: LoweringContext, kernel: str, op_type: str) -> ValueHolder:
    """Look a function of an operator up on Init; each look-up has its own GetSpaceRegistry (spec/lowering.md 12.12)."""
    type_name = context.holders.const(op_type)
    registry = space_registry(context)
    return context.holders.single(kernel, type_name, context.selector.holder_on_init(registry))


def space_registry(context: LoweringContext) -> ValueHolder:
    """The register of operators, as an output of the Init node."""

    def build() -> list[ValueHolder]:
        model_desc = context.model_desc_on_init
        return [context.holders.single("GetSpaceRegistry", model_desc, context.holders.const(OPP_IMPL_VERSION))]

    return context.selector.on_init_root(build)[0]


def operator_from_buffer(context: LoweringContext, node: ComputeNode) -> ValueHolder:
    """Rebuild the operator that functions of the old registers take from its serialised form."""
    buffer = OperatorBuffer(node.name, node.type)
    content, size = context.holders.const(buffer), context.holders.const(len(repr(buffer)))
    return context.holders.single("CreateOpFromBuffer", content, size)


def _infer_by_old_register(context: LoweringContext, node: ComputeNode, shapes: list[ValueHolder]) -> list[ValueHolder]:
    holders = context.holders
    key = f"{node.type}_FindCompatibleInferShapeFunc_"
    find = "FindCompatibleInferShapeFunc"
    function = context.unique_on_init(key, lambda: [holders.single(find, holders.const(node.type))])[0]
    operator = operator_from_buffer(context, node)
    return holders.many("CompatibleInferShape", len(node.op.outputs), operator, function, *shapes)


def _load_rule(context: LoweringContext, node: ComputeNode, rule: str) -> ValueHolder:
    """Load a rule on Init; operators with the same rule share it. The compiled form is the faster one."""
    holders = context.holders
    text = holders.const(rule)
    compiled = node.op.attrs.get(RULE_BINARY_ATTR)
    if not isinstance(compiled, bytes) or not compiled:
        return holders.single("LoadShapeRuleFromJson", text)
    return holders.single("LoadShapeRuleFromBinary", holders.const(compiled), holders.const(len(compiled)), text)
