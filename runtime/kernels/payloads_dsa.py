"""What a Const carries for the random number engine: its task, which a kernel completes at run time.

GE hands a packed structure through the node and edits it in place; here it is a record that can be changed.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class DsaSqe:
    """``rtStarsDsaSqe_t``: what lowering knows, then what ``UpdateSqeArg`` fills in (addresses or values)."""

    sqe_type: int = 0
    start: int = 0
    distribution: int = 0
    data_type: int = 0
    algorithm: int = 0
    input_valid: int = 0
    input_is_address: int = 0
    kernel_credit: int = 100
    output_address: int = 0
    state_address: int = 0
    seed: int = 0
    count: int = 0
    inputs_address: int = 0
    seed_is_address: int = 0
    count_is_address: int = 0
    handle: int = 0


SQE_BYTES = 64
"""Length of one entry of the device's queue."""
