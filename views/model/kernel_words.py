"""A kernel's name for a narrow column: the operator first, for the end of a cell is what gives way."""

from getrace.ids import split_kernel_name


def kernel_words(kernel: str | None) -> str:
    """Give ``add1 AllocMemHbm 62`` for ``AllocMemHbm_add1_62``; a kernel without an operator as it is."""
    if not kernel:
        return ""
    name = split_kernel_name(kernel)
    number = f" {name.id}" if name.id >= 0 else ""
    return f"{name.node} {name.type}{number}" if name.node else f"{name.type}{number}"
