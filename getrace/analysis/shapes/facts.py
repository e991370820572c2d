"""What is said of shapes: plain records; the other modules of this room fill them.

A dimension of -1 is chosen at run time, the shape (-2,) has an unknown number of dimensions. What nobody told is None
or absent, never 0: an empty tuple is a scalar.
"""

from dataclasses import dataclass, field

from getrace.analysis.confidence import Confidence
from getrace.analysis.places import Place

Shape = tuple[int, ...]
ANY_RANK: Shape = (-2,)


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a statement comes from: a row of the log, or a node of a dump (its file; the line is found by name)."""

    place: Place | None = None
    file: str = ""
    node: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that cannot be told, the reason, and the switch that would have told it ("" when there is none)."""

    what: str
    because: str
    switch: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a graph is dynamic.

    ``kind`` is ``input``, ``operator``, ``graph``, ``value`` or ``range``. ``dims`` are the positions that are not
    known beforehand; None when nobody told. ``shape_class`` is GE's ``_unknown_shape_type`` (spec/lowering.md 5.3).
    ``first`` says that what goes in is known and what comes out is not.
    """

    kind: str
    name: str
    why: str
    confidence: Confidence
    seen: Seen
    graph: str = ""
    type: str = ""
    dims: tuple[int, ...] | None = None
    shape: Shape | None = None
    shape_class: int | None = None
    first: bool = False


@dataclass(frozen=True, slots=True)
class GraphKind:
    """Whether one graph is ``static``, ``dynamic`` or made of ``gears``, and who says so."""

    graph: str
    kind: str
    seen: Seen
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Operated:
    """The shapes of one operator in one step. None: the log does not print that side. ``row`` is the first record."""

    op: str
    type: str | None
    inputs: tuple[Shape, ...] | None
    outputs: tuple[Shape, ...] | None
    row: int
    dtypes: tuple[str, ...] = ()

    @property
    def shapes(self) -> tuple[tuple[Shape, ...] | None, tuple[Shape, ...] | None]:
        """What makes a shape new."""
        return self.inputs, self.outputs


@dataclass(frozen=True, slots=True)
class Step:
    """The shapes of one execution of a Main graph. ``model`` numbers the graphs of a log from 1.

    ``inputs`` are those of the model, by name. ``changed`` are the operators whose shapes differ from the step before
    of the same model; all of them in the first one.
    """

    model: int
    pid: int
    iteration: int
    start: Place
    inputs: dict[str, Shape]
    operators: int
    changed: tuple[Operated, ...]
    asked: Shape | None = None
    asked_row: int | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """The time that something took, and who says so; ``ns`` None with the reason when nobody does."""

    ns: int | None
    provenance: str = "inferred"
    because: str = ""


@dataclass(frozen=True, slots=True)
class NewShape:
    """Shapes that an operator had not had before in its model, the step, and what they cost.

    ``compile`` is the longest part of a compilation that GE measured between the step before and this one.
    ``tiling_cache`` is what GE prints (``disabled``, ``missed``, ``hit``), None when it prints nothing.
    """

    model: int
    iteration: int
    operated: Operated
    place: Place
    infer: Cost
    tiling: Cost
    compile: Cost
    tiling_cache: str | None = None


@dataclass(frozen=True, slots=True)
class Compiled:
    """A line in which GE tells how long a part of compiling took. ``before`` is the step that comes next, if any."""

    what: str
    cost: Cost
    place: Place
    before: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class GearUse:
    """A shape that was asked for, and the gear for it.

    ``chosen`` is the index of the equal gear; None when there is none. ``nearest`` is then the gear that fits best,
    ``covers`` whether it is large enough in each dimension, and ``runs`` what is executed instead.
    """

    asked: Shape
    place: Place
    iteration: int | None = None
    chosen: int | None = None
    nearest: int | None = None
    covers: bool = False
    runs: str = ""


@dataclass(frozen=True, slots=True)
class Gears:
    """The gears of one model, in their order, and how they were used. Empty ``gears``: the table was not told."""

    name: str
    gears: tuple[Shape, ...]
    seen: Seen
    inputs: tuple[str, ...] = ()
    uses: tuple[GearUse, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Upstream:
    """An operator on the way to a tensor that does not fit: nearest first. ``printed`` is what the log inferred."""

    op: str
    type: str
    graph: str
    in_dump: Shape | None
    printed: Shape | None
    seen: Seen
    how: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A size or a shape that does not fit. ``side`` is ``input``, ``output`` or "" when the line does not say.

    ``expected`` and ``given`` are bytes; a size that GE prints for "unknown" (-1, also unsigned) is None, and
    ``note`` says so. ``origin`` is the operator that produced the tensor: None with a reason in ``unknown``.
    """

    what: str
    op: str | None
    type: str | None
    side: str
    index: int | None
    expected: int | None
    given: int | None
    place: Place
    confidence: Confidence
    note: str = ""
    printed: Shape | None = None
    printed_at: Place | None = None
    upstream: tuple[Upstream, ...] = ()
    origin: str | None = None
    unknown: Unknown | None = None


@dataclass(slots=True)
class Shapes:
    """Everything that is known of shapes. ``left_out`` counts what was not read or not told, by name."""

    kinds: list[GraphKind] = field(default_factory=list)
    dynamic: list[Reason] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    fresh: list[NewShape] = field(default_factory=list)
    compiled: list[Compiled] = field(default_factory=list)
    gears: list[Gears] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def speaks(self) -> bool:
        """Whether there is something dynamic or a mismatch: else a person need not hear of shapes."""
        moved = any(kind.kind != "static" for kind in self.kinds)
        return bool(moved or self.dynamic or self.gears or self.mismatches or self.fresh)
