"""LoweringOptions: what a session may change about a lowering.

The execute graph depends on these and on the model only (spec/lowering.md 10.1). A converter that looked at anything
else - an environment variable, the inputs of a step - would give a graph that cannot be reproduced.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from runtime.engines.op_library import OpLibrary, builtin_library
from runtime.values import Placement


class TopoSortingMode(Enum):
    """``ge.topoSortingMode``."""

    BFS = 0
    DFS = 1
    REVERSE_DFS = 2


@dataclass(frozen=True, slots=True)
class LoweringOptions:
    """Options of one lowering; the defaults are GE's.

    ``args_exception_dump`` is the ARGS_EXCEPTION dump switch: it adds the dfx rows behind every tiling (forms A and B
    of spec/lowering.md 10.1). ``input_placement`` is ``ge.inputPlacement``: END means that the caller decides at run
    time. ``all_tensor_not_empty`` is ``ge.exec.allTensorNotEmpty``. ``always_external_allocator`` promises that the
    caller brings an allocator for every placement. ``single_stream`` (``enable_single_stream``) puts every operator on
    logic stream 0, whatever its stream is. ``library`` is what the authors of operators registered.
    ``data_dump`` is on when tensors are to be dumped, which FFTS+ tasks must know before they run.
    ``file_constant_memories`` gives (address, bytes) of the device memory the user filled for a file of constants.
    ``static_model_addr_fixed`` is ``ge.exec.static_model_addr_fixed``, ``frozen_input_indices`` is
    ``ge.exec.frozenInputIndexes``; ``fixed_feature_memory`` gives (address, bytes) of the memory static models work in
    by place, address 0 for memory of the session.

    Of the passes: ``trust_shape_on_out_tensor`` and ``always_zero_copy`` promise something of the caller's output
    tensors; ``single_op_scene`` is ``_single_op_scene``, a model of one operator; ``max_runtime_core_number`` is the
    variable MAX_RUNTIME_CORE_NUMBER and ``dynamic_shape_multi_stream`` ENABLE_DYNAMIC_SHAPE_MULTI_STREAM.
    ``topo_sorting_mode`` is ``ge.topoSortingMode``.
    """

    args_exception_dump: bool = False
    input_placement: Placement = Placement.END
    all_tensor_not_empty: bool = False
    always_external_allocator: bool = False
    single_stream: bool = False
    deterministic: int = 0
    deterministic_level: int = 0
    aicore_num: int = -1
    vector_core_num: int = -1
    data_dump: bool = False
    file_constant_memories: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    static_model_addr_fixed: bool = False
    frozen_input_indices: str = ""
    fixed_feature_memory: Mapping[Placement, tuple[int, int]] = field(default_factory=dict)
    library: OpLibrary = field(default_factory=builtin_library)
    trust_shape_on_out_tensor: bool = False
    always_zero_copy: bool = False
    single_op_scene: bool = False
    max_runtime_core_number: int = 1
    dynamic_shape_multi_stream: bool = False
    topo_sorting_mode: TopoSortingMode = TopoSortingMode.DFS

    @property
    def multi_thread(self) -> bool:
        """Whether a multi-thread executor may run the graph (``IsEnableRt2MultiThread``)."""
        return self.max_runtime_core_number > 1 and not self.dynamic_shape_multi_stream
