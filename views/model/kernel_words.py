"""A kernel's name for a narrow column: the operator first, and cut in the middle, for its two ends tell it apart."""

from getrace.ids import split_kernel_name
from getrace.printable import cell_width, fit


def kernel_words(kernel: str | None) -> str:
    """Give ``add1 AllocMemHbm 62`` for ``AllocMemHbm_add1_62``; a kernel without an operator as it is."""
    if not kernel:
        return ""
    name = split_kernel_name(kernel)
    number = f" {name.id}" if name.id >= 0 else ""
    return f"{name.node} {name.type}{number}" if name.node else f"{name.type}{number}"


def squeezed(name: str, width: int) -> str:
    """Give a printable name in at most ``width`` cells, cut in its middle."""
    if cell_width(name) <= width:
        return name
    end = name[len(name) - width // 2 :] if width > 1 else ""
    return fit(name, width - cell_width(end)) + end if cell_width(end) < width - 1 else fit(name, width)
