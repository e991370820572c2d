"""What a ``Const`` node carries when it is more than a number or a text.

GE packs these into byte buffers (spec/lowering.md 4.1, 10.1); here each is a record of its own. They live below the
converters that fill them in and below the kernels that read them; if a converter invented a shape of its own, the
kernel would have to guess.
"""

from dataclasses import dataclass, field

from runtime.graph.compute_graph import ComputeGraph
from runtime.values import DType, Format, Placement

KMAX_WORKSPACES = 16
"""Workspaces one operator may ask for: the capacity of ``AllocBatchHbm``'s output (spec/execution.md 5.9)."""


@dataclass(frozen=True, slots=True)
class NodeDesc:
    """GE's ``NodeDesc`` for AllocLaunchArg: how large the argument block of one launch may become.

    ``max_tiling_data`` is the operator attribute ``op_para_size`` in bytes. ``need_shape_buffer`` is set for an
    operator that tells its shape after it ran.
    """

    input_num: int
    output_num: int
    max_tiling_data: int = 2048
    workspace_cap: int = KMAX_WORKSPACES
    need_shape_buffer: bool = False


@dataclass(frozen=True, slots=True)
class ArgsInfosDesc:
    """GE's ``ArgsInfosDesc``: how many address slots the kernel binary takes for inputs and outputs."""

    input_args: int
    output_args: int


@dataclass(frozen=True, slots=True)
class BuildTensorAttr:
    """GE's ``BuildTensorAttr``: what an output tensor is, beside its shape and its address."""

    placement: Placement
    dtype: DType
    storage_format: Format
    origin_format: Format


@dataclass(frozen=True, slots=True)
class KernelBinary:
    """GE's ``BinData``: a compiled kernel. The simulator finds its code through the operator type."""

    op_type: str
    bin_id: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """GE's ``rtTaskCfgInfo_t``."""

    qos: int = 0
    part_id: int = 0


@dataclass(frozen=True, slots=True)
class DfxExeArg:
    """GE's ``DfxExeArg``: whether an exception dump and an assertion buffer are wanted, and the buffer's size."""

    need_assert: bool = False
    need_print: bool = False
    buffer_size: int = 0


@dataclass(frozen=True, slots=True)
class OperatorBuffer:
    """An operator in its serialised form, which functions of GE's old registers are given."""

    name: str
    op_type: str


@dataclass(frozen=True, slots=True)
class MixCoreArgs:
    """GE's ``MixCoreArgs``: how many cores of each kind a launch on both kinds takes.

    ``core_type`` is MIX_AICORE or MIX_VECTOR_CORE: which kind the first stream has.
    """

    core_type: str
    all_cores: int
    ai_cores: int
    vector_cores: int


@dataclass(frozen=True, slots=True)
class OpExecuteOptions:
    """GE's ``OpExecuteOptions``: how an aclnn operator has to compute."""

    precision_mode: int = 0
    deterministic: bool = False
    allow_hf32: str = ""


@dataclass(frozen=True, slots=True)
class EventInfo:
    """Between which logic streams an event goes; ``CreateGertEvents`` reads one per event, in order of numbers."""

    source_stream: int
    target_stream: int


@dataclass(frozen=True, slots=True)
class StaticModelRef:
    """Which statically compiled graph a ``DavinciModelCreate`` makes its model of; GE holds a pointer to ``model``."""

    graph: str
    model: ComputeGraph | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class RunAddress:
    """Where a constant lies inside a static model: type of memory and offset, as GE's compiler placed it.

    ``output`` is the output of the model that it is, by which the simulator finds it: its models lie as they like.
    """

    kind: int
    offset: int
    output: int


@dataclass(frozen=True, slots=True)
class FftsTask:
    """The descriptors of an FFTS+ task as the compiler left them: whose they are, and how many kernels run."""

    node: str
    kernels: int


@dataclass(frozen=True, slots=True)
class MemorySlice:
    """A part of the block an FFTS+ task lies in, in bytes."""

    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class DeterministicConfig:
    """Whether results must repeat bit for bit, and how strictly."""

    enabled: int = 0
    level: int = 0
