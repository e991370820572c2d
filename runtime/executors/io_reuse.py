"""The check that an output lies where an input lies, when the model promises it (spec/execution.md 1.8)."""

import re
from collections.abc import Sequence

from runtime.executors.refusals import REUSE_ADDRESS, REUSE_INPUT, REUSE_OUTPUT, Refusal
from runtime.values import Tensor

OPTION = "ge.exec.outputReuseInputMemIndexes"
_NUMBER = re.compile(r"\s*\+?(\d+)")


def parse_pairs(option: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Read ``in,out|in,out``; gives the pairs, and a warning for each piece that is dropped with one.

    Like ``stoul`` it takes blanks in front and anything behind a number.
    """
    pairs: list[tuple[int, int]] = []
    warnings: list[str] = []
    for piece in option.split("|"):
        left, comma, right = piece.partition(",")
        if not comma:
            continue
        numbers = _NUMBER.match(left), _NUMBER.match(right)
        if "-" in piece:
            warnings.append(
                f"[Parse][Option] Invalid negative index in {OPTION}: '{option}'. Indexes must be non-negative."
            )
        elif numbers[0] is None or numbers[1] is None:
            warnings.append(
                f"[Parse][Option] Invalid index in {OPTION}: '{option}'. Indexes must be non-negative integers."
            )
        else:
            pairs.append((int(numbers[0][1]), int(numbers[1][1])))
    return pairs, warnings


def check_reuse(
    pairs: Sequence[tuple[int, int]], inputs: Sequence[Tensor | None], outputs: Sequence[Tensor | None]
) -> Refusal | None:
    """Give GE's record for the first pair that is broken, or None. Without pairs or tensors nothing is checked."""
    if not pairs or not inputs or not outputs:
        return None
    for source, target in pairs:
        if source >= len(inputs):
            return REUSE_INPUT.about(index=source, number=len(inputs))
        if target >= len(outputs):
            return REUSE_OUTPUT.about(index=target, number=len(outputs))
        given, wanted = _address(outputs[target]), _address(inputs[source])
        if given != wanted:
            return REUSE_ADDRESS.about(
                source=source, target=target, given=_pointer(given), wanted=_pointer(wanted), option=OPTION
            )
    return None


def _address(tensor: Tensor | None) -> int:
    return tensor.data.addr if tensor is not None and tensor.data is not None else 0


def _pointer(address: int) -> str:
    return f"0x{address:x}" if address else "(nil)"
