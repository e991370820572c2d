"""What ModelV2Executor says when it refuses a call: each text with its line, function and code, once.

Checks choose a row and fill it in, the executor publishes it. A check that knew lines, or an executor that knew texts,
would be a second table. Lines and codes are those of GE's source (``model_v2_executor.cc``): GELOGE says
PARAM_INVALID, an assert FAILED. The call returns PARAM_INVALID either way.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from getrace.events import Place
from runtime.kernels.status import Status

_FILE = "model_v2_executor.cc"


class Refusal(NamedTuple):
    """One error record: where it stands, what it says, and the ``ErrorNo`` it prints."""

    place: Place
    text: str
    code: int


@dataclass(frozen=True, slots=True)
class Complaint:
    """A row of the table. ``text`` has fields in braces."""

    line: int
    func: str
    code: Status
    text: str
    file: str = _FILE

    def about(self, **values: object) -> Refusal:
        """Fill the text in."""
        return Refusal(Place(self.file, self.line, self.func), self.text.format(**values), self.code)


ARRAY_IS_NULL: Final = Complaint(42, "CheckTensors", Status.PARAM_INVALID, "Failed to execute, {what} is nullptr")
TENSOR_IS_NULL: Final = Complaint(
    47, "CheckTensors", Status.PARAM_INVALID, "Failed to execute, {what}[{index}] is nullptr"
)
OUTPUTS_NUM: Final = Complaint(
    58, "CheckModelOutputsNum", Status.PARAM_INVALID, "Failed to execute, outputs num {given}, expect num {expected}"
)
INPUTS_NUM: Final = Complaint(
    70,
    "CheckModelInputsNum",
    Status.FAILED,
    "Check model input num failed, input num not match, expect input num({expected}), "
    "current total inputs num({total}) = input tensor num({tensors}) + append input num({appended})",
)
MIXED_ALLOCATORS: Final = Complaint(
    115,
    "OccupyStreamResource",
    Status.PARAM_INVALID,
    "external_stream_allocator and external_event_allocator not allow only set one.",
)
# GE has no such check, hence line 0 and a text that is not one of GE's.
STREAM_UNKNOWN: Final = Complaint(
    0, "OccupyStreamResource", Status.FAILED, "Failed to execute, stream {stream} is not on this device"
)
_SHORTAGE: Final = "Failed to prepare reusable {what}, num {count}. Maybe {what} not enough on device"
SHORTAGE: Final = {
    "streams": Complaint(121, "OccupyStreamResource", Status.FAILED, _SHORTAGE),
    "events": Complaint(127, "OccupyStreamResource", Status.FAILED, _SHORTAGE),
    "notifies": Complaint(132, "OccupyStreamResource", Status.FAILED, _SHORTAGE),
}
OTHER_SESSION: Final = Complaint(
    157,
    "InitRtVarManager",
    Status.FAILED,
    "Session id [{given}] from load arg mismatch with created value [{created}], this scene is not supported.",
)
SESSION_ASSERT: Final = Complaint(
    180, "Load", Status.FAILED, "Assert ((InitRtVarManager(load_arg)) == ge::SUCCESS) failed"
)
"""The caller's own record behind OTHER_SESSION. The callers of the other checks say nothing."""

LOADED_ALREADY: Final = Complaint(
    171, "Load", Status.PARAM_INVALID, "Cannot load now, the model has been loaded({state})"
)
INIT_FAILED: Final = Complaint(192, "Load", Status.FAILED, "Failed to execute init graph")
NOT_LOADED: Final = Complaint(
    203, "UnLoad", Status.PARAM_INVALID, "Cannot unload now, the model state is not loaded({state})"
)
DEINIT_FAILED: Final = Complaint(219, "UnLoad", Status.FAILED, "Failed to execute de-init graph")
LOAD_FIRST: Final = Complaint(
    231, "Execute", Status.PARAM_INVALID, "Failed to execute model, you may need load model first"
)
SYNC_ASSERT: Final = Complaint(
    268, "ExecuteSync", Status.FAILED, "Assert ((DoRtStreamSyncWithTimeout(default_stream_)) == ge::SUCCESS) failed"
)

DESC_IS_NULL: Final = Complaint(276, "GetModelDesc", Status.FAILED, "[Get][ModelDesc] failed, model_desc is null.")

# Asserts of CheckIoReuseAddrs; its source is not at hand, hence line 0.
REUSE_START: Final = ("model_v2_executor.cc", 0, "CheckIoReuseAddrs")
_REUSE = "addr reuse check not pass"
REUSE_INPUT: Final = Complaint(
    0,
    "CheckIoReuseAddrs",
    Status.FAILED,
    f"[Check][Param] Input index {{index}} out of range, input_num is {{number}}, {_REUSE}",
)
REUSE_OUTPUT: Final = Complaint(
    0,
    "CheckIoReuseAddrs",
    Status.FAILED,
    f"[Check][Param] Output index {{index}} out of range, output_num is {{number}}, {_REUSE}",
)
REUSE_ADDRESS: Final = Complaint(
    0,
    "CheckIoReuseAddrs",
    Status.FAILED,
    "[Check][Param] Output[{target}] address({given}) must be same as Input[{source}] address({wanted}) because the "
    f"option '{{option}}' is set with value containing '{{source}},{{target}}', {_REUSE}",
)
