"""The compiled kernel on the device: the kernels that load it, by the form of the launch.

Source: spec/lowering.md 4.1 (11).
"""

from dataclasses import dataclass

from runtime.engines.aicore.compile_result import LaunchForm
from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import KernelBinary


@dataclass(frozen=True, slots=True)
class Binary:
    """A compiled kernel: whose it is, its id, and the names by which one of its functions is found."""

    op_type: str
    bin_id: str
    metadata: str
    kernel_name: str


def sink_binary(context: LoweringContext, binary: Binary, form: LaunchForm) -> ValueHolder:
    """Load a binary whole, to be launched by tiling key; or one function of it, under the name of its stub."""
    holders = context.holders
    content = holders.const(KernelBinary(binary.op_type, binary.bin_id))
    key = holders.const(binary.bin_id)
    if form is LaunchForm.HANDLE:
        return holders.single("SinkNodeBinWithHandle", content, key)
    metadata, name = holders.const(binary.metadata), holders.const(binary.kernel_name)
    return holders.single("SinkNodeBinWithoutHandle", content, key, metadata, name)
