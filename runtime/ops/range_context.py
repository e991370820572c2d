"""What an operator's inference of shape ranges sees (``gert::InferShapeRangeContext``).

Such an operator tells the shape of its outputs only after it ran; before that it says how large they may become, and
memory is made for the largest (spec/lowering.md 4.1, third class).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from getrace.dumps.snapshot import AttrValue
from runtime.ops.shape import GertShape
from runtime.ops.tensor import InputTensor
from runtime.values import Shape


@dataclass(slots=True)
class ShapeRange:
    """``gert::Range<Shape>``: the least and the most of each dimension, most -1 for no limit."""

    least: GertShape = field(default_factory=GertShape)
    most: GertShape = field(default_factory=GertShape)

    def get_min(self) -> GertShape:
        """``GetMin``."""
        return self.least

    def get_max(self) -> GertShape:
        """``GetMax``."""
        return self.most


class InferShapeRangeContext:
    """Ranges of the inputs, which are single shapes while a model runs, and of the outputs to be found."""

    def __init__(
        self,
        node_type: str,
        inputs: Sequence[tuple[Shape, Shape]],
        outputs: int,
        *,
        tensors: Sequence[InputTensor | None] = (),
        attrs: Mapping[str, AttrValue] | None = None,
    ) -> None:
        self._node_type = node_type
        self._inputs = [ShapeRange(GertShape(least), GertShape(most)) for least, most in inputs]
        self._tensors = tensors
        self._attrs = attrs or {}
        self.output_ranges = tuple(ShapeRange() for _ in range(outputs))

    def get_node_type(self) -> str:
        """``GetNodeType``."""
        return self._node_type

    def get_input_num(self) -> int:
        """``GetComputeNodeInputNum``."""
        return len(self._inputs)

    def get_input_shape_range(self, index: int) -> ShapeRange:
        """``GetInputShapeRange``. Raises IndexError for an input that is not there."""
        return self._inputs[index]

    def get_input_tensor(self, index: int) -> InputTensor | None:
        """``GetInputTensorRange``: least and most are the same tensor here; None when its values are not known."""
        return self._tensors[index] if index < len(self._tensors) else None

    def get_attrs(self) -> Mapping[str, AttrValue]:
        """``GetAttrs``: the operator's attributes, by name."""
        return self._attrs

    def get_output_shape_range(self, index: int) -> ShapeRange:
        """``GetOutputShapeRange``: the range to fill in."""
        return self.output_ranges[index]
