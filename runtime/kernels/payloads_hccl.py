"""What a Const carries for a collective operator."""

from dataclasses import dataclass

from runtime.values import DType


@dataclass(frozen=True, slots=True)
class HcomOpAttr:
    """GE's ``HcomOpAttr``: which collective, on which elements, in which group.

    Fields that an operator does not have keep their defaults: ``reduction`` is one of sum, prod, max, min; ``root`` the
    rank that sends or receives everything; ``rank_size`` the size of the group; ``peer`` the other rank of a Send or a
    Receive and ``tag`` what tells their messages apart.
    """

    op_type: str
    dtype: DType
    group: str
    reduction: str = ""
    root: int = -1
    rank_size: int = 0
    peer: int = -1
    tag: int = -1
