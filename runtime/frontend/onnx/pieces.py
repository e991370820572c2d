"""The small graph that one operator of ONNX becomes, while it is written.

A rule asks it for inputs and attributes, and adds operators of Ascend. Names are given when it is done, since GE names
one operator otherwise than several; a rule that named its operators would have to know how many there will be.

Source: spec/formats.md 5.1 (2) and (3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np

from getrace.dumps.onnx_model import OnnxNode, OnnxTensor
from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.frontend.onnx.registered import Registered
from runtime.frontend.onnx.results import OPEN, describe
from runtime.frontend.placing import engine_of
from runtime.graph.builder import AI_CORE, COMPILED
from runtime.graph.compute_graph import ALL_KERNEL, ComputeNode, OpDesc, TensorDesc, nd_desc
from runtime.values import DType

_V = TypeVar("_V", int, float, str, tuple[int, ...], tuple[float, ...])

_KINDS: Final[Mapping[type, str]] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of numbers",
}


@dataclass(slots=True, eq=False)
class Piece:
    """An operator that has no name yet: its description, what feeds it, what it adds to a name; then its node."""

    suffix: str
    op: OpDesc
    inputs: list["Ref | None"]
    node: ComputeNode | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """One result of a node of the graph, or of a piece that is to become one."""

    source: ComputeNode | Piece
    index: int = 0

    @property
    def desc(self) -> TensorDesc:
        """What is known of the tensor."""
        return self.source.op.outputs[self.index]

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None when it is open."""
        return None if self.desc.shape == OPEN else len(self.desc.shape)


@dataclass(slots=True)
class SmallGraph:
    """One operator of ONNX and what becomes of it. ``opset`` is the model's, ``plugin`` the one that is registered."""

    node: OnnxNode
    label: str
    opset: int
    plugin: Registered
    inputs: Sequence[Ref | None]
    read_tensor: Callable[[OnnxTensor], tuple[TensorDesc, bytes]]
    pieces: list[Piece] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def given(self, index: int) -> Ref | None:
        """Give an input, None when it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def need(self, index: int) -> Ref:
        """Give an input. Raises ModelError when it is left out."""
        found = self.given(index)
        if found is None:
            raise self.wrong(f"has no input {index}")
        return found

    def every(self) -> list[Ref]:
        """Give all inputs, of an operator that takes any number. Raises ModelError when there is none, or a gap."""
        return [self.need(index) for index in range(max(len(self.inputs), 1))]

    def wrong(self, what: str, hint: str = "see the operator's page in the ONNX documentation") -> ModelError:
        """Make an error that names the node."""
        return ModelError(f"node '{self.label}' of type {self.node.op_type} {what}", hint)

    def attr(self, name: str, default: _V) -> _V:
        """Give an attribute of the kind of ``default``. Raises ModelError when it is of another kind."""
        value = self.node.attrs.get(name, default)
        kind = type(default)
        if kind is float and isinstance(value, int):
            value = float(value)
        wrong = not isinstance(value, kind)
        if isinstance(value, tuple) and not wrong:
            wrong = not all(isinstance(item, int | float) for item in value)
        if wrong:
            raise self.wrong(f"has an attribute '{name}' that is not {_KINDS[kind]}")
        return value  # type: ignore[return-value]

    def flag(self, name: str, default: int) -> bool:
        """Give an attribute that is 0 or 1."""
        return bool(self.attr(name, default))

    def tensor(self, name: str) -> tuple[TensorDesc, bytes] | None:
        """Give the tensor of an attribute, None when there is none. Raises ModelError when it is none."""
        value = self.node.attrs.get(name)
        if value is None:
            return None
        if not isinstance(value, OnnxTensor):
            raise self.wrong(f"has an attribute '{name}' that is not a tensor")
        return self.read_tensor(value)

    def const(self, suffix: str, values: Sequence[float] | float, dtype: DType = DType.INT64) -> Ref:
        """Add a constant of numbers; one number makes a scalar. Raises ModelError when they do not fit the type."""
        try:
            array = np.array(values, dtype.numpy)
        except (OverflowError, ValueError) as error:
            raise self.wrong(f"needs a constant {values!r} of type {dtype.ge_name}: {error}") from error
        return self.const_of(suffix, nd_desc(array.shape, dtype), array.tobytes())

    def const_of(self, suffix: str, desc: TensorDesc, content: bytes) -> Ref:
        """Add a constant of bytes."""
        op = OpDesc("", "Const", (), (desc,), engine_of("Const"), attrs={"value": content})
        return self._add(suffix, op, [])

    def op(
        self,
        op_type: str,
        *inputs: Ref | None,
        attrs: Mapping[str, AttrValue] | None = None,
        names: str = "",
        outputs: int = 1,
        suffix: str = "",
    ) -> Ref:
        """Add an operator of Ascend and give its first result.

        ``names`` are those of its inputs; inputs left out at the end are dropped, others keep their place.
        """
        fed = list(inputs)
        while fed and fed[-1] is None:
            fed.pop()
        on_core = engine_of(op_type) == AI_CORE
        own = dict(attrs or {})
        descs = [_input_desc(ref, name) for ref, name in zip(fed, _padded(names, len(fed)), strict=True)]
        op = OpDesc(
            "",
            op_type,
            tuple(descs),
            describe(op_type, descs, own, outputs),
            engine_of(op_type),
            (ALL_KERNEL,) if on_core else (),
            {**(COMPILED if on_core else {}), **own},
        )
        return self._add(suffix or op_type, op, fed)

    def results(self, first: Ref, count: int) -> list[Ref]:
        """Give the first results of an operator that has several."""
        return [Ref(first.source, index) for index in range(count)]

    def _add(self, suffix: str, op: OpDesc, inputs: list[Ref | None]) -> Ref:
        self.pieces.append(Piece(suffix, op, inputs))
        return Ref(self.pieces[-1])


def _input_desc(ref: Ref | None, name: str) -> TensorDesc:
    if ref is None:
        return TensorDesc(OPEN, DType.UNDEFINED, name=name)
    desc = ref.desc
    return TensorDesc(desc.shape, desc.dtype, desc.format, name, shape_range=desc.shape_range)


def _padded(names: str, count: int) -> list[str]:
    """Give ``count`` names; a name with ``*`` stands for the rest, with numbers."""
    given = names.split()
    if given and given[-1].endswith("*"):
        many = given.pop()[:-1]
        given += [f"{many}{number}" for number in range(count - len(given))]
    if not given:
        given = ["x"] if count == 1 else [f"x{number + 1}" for number in range(count)]
    given += [f"x{number}" for number in range(len(given), count)]
    return given[:count]
