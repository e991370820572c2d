"""How far the clocks of sources stand apart, in words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from getrace.cli.layout import duration_text
from getrace.cli.source_names import SourceNames

if TYPE_CHECKING:
    from getrace.store.clock_offset import Proof
    from getrace.store.store import Source


def clock_lines(sources: "Sequence[Source]", names: SourceNames) -> Iterator[str]:
    """Give a sentence for each source whose clock is known to differ, or whose records contradict each other."""
    for source in sources:
        if source.clock is not None:
            proofs = "; ".join(_proof(proof, source.clock.reference, names) for proof in source.clock.proofs)
            told = source.clock.distance(duration_text)
            yield f"{names.at(source.path, 0)} {told} {names.at(source.clock.reference, 0)} ({proofs})"


def _proof(proof: "Proof", reference: str, names: SourceNames) -> str:
    """Name the two records of a proof by their lines; the other log only where it is not the one named before."""
    other = f" of {names.at(proof.reference, 0)}" if proof.reference != reference else ""
    return f"{proof.what}: lines {proof.line} and {proof.reference_line}{other}"
