"""What Init learns of the session and of the model's description (spec/lowering.md 11.A).

Both records are the caller's; a kernel copies one fact out of them, so that the kernels behind it do not hold on to
more of the caller than that fact.
"""

from typing import Final, Protocol

from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

_SESSION = ("rt_session_kernel.cc", 0, "GetSessionId")
_WEIGHT_DIR = ("rt_model_desc.cc", 0, "GetFileConstantWeightDir")


class Session(Protocol):
    """``RtSession`` as kernels see it."""

    session_id: int


class DescribedModel(Protocol):
    """``ModelDesc`` as kernels see it. ``file_constant_weight_dir`` is a folder, "" when the model has none."""

    file_constant_weight_dir: str


def get_session_id(context: KernelContext) -> int:
    """Give the number of the session."""
    session: Session | None = context.input(0)
    if session is None:
        return context.assert_failed(_SESSION, "Assert ((rt_session) != nullptr) failed")
    context.set(0, session.session_id)
    return Status.SUCCESS


def get_file_constant_weight_dir(context: KernelContext) -> int:
    """Give the folder that holds the weights of file constants."""
    desc: DescribedModel | None = context.input(0)
    if desc is None:
        return context.assert_failed(_WEIGHT_DIR, "Assert ((model_desc) != nullptr) failed")
    context.set(0, desc.file_constant_weight_dir)
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("GetSessionId", get_session_id),
    Kernel("GetFileConstantWeightDir", get_file_constant_weight_dir),
)
