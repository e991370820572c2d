"""Which operators the host library has a function for.

It is a register of its own, next to that of shape functions: GE asks the library it loads for constant folding, by type
(``AicpuHostFindFunc``). An operator without a function goes through the kernel of the AI CPU library.

Source: spec/lowering.md 4.6.
"""

HOST_FUNCTIONS = frozenset(
    {
        "Add",
        "Cast",
        "ConcatV2",
        "Equal",
        "FloorDiv",
        "Gather",
        "Greater",
        "Less",
        "LogicalAnd",
        "LogicalNot",
        "LogicalOr",
        "Maximum",
        "Minimum",
        "Mul",
        "Neg",
        "Pack",
        "RealDiv",
        "ReduceProd",
        "Select",
        "Sub",
    }
)
"""Types of small tensor arithmetic: what shape computations of a model are made of."""


def has_host_function(op_type: str) -> bool:
    """Whether the host library computes operators of a type by a function of its own."""
    return op_type in HOST_FUNCTIONS
