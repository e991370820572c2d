"""What kernels say when they fail: the place, the code and the words of GE, and the status they return.

Lines, codes and texts are those of the list of GE's formats; line 0 is where the list has none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import OpenProcess, open_process

from getrace.events import Event, Level
from getrace.events.text import LogLine
from runtime.device.tasks import Task
from runtime.kernels.context import Cell, ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.payloads import BuildTensorAttr, KernelBinary
from runtime.kernels.tiling import CacheableFwkData
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.registry import OpRegistry
from runtime.values import DType, Format, Placement, StorageFormat, StorageShape, Tensor, TensorData

FAILED = 4294967295
PARAM_INVALID = 1343225857
RT_FAILED = 1343225859
NO_MEMORY = SimpleNamespace(malloc=lambda _size: None, stream=0, placement=Placement.DEVICE_HBM)
HERE = GertTensorData(0x1000, 64, Placement.DEVICE_HBM)
NOWHERE = GertTensorData(0x1000, 64, Placement.END)
SHAPE = Tensor(StorageShape.same((8,)))
ATTR = BuildTensorAttr(Placement.HOST, DType.FLOAT, Format.ND, Format.ND)
NODE = ComputeNodeInfo("add1", "Add", (IoDesc(DType.FLOAT),), (IoDesc(DType.FLOAT),))
FOREIGN = ComputeNodeInfo("add1", "Add", (), (IoDesc(DType.FLOAT, StorageFormat(Format.ND, Format.NC1HWC0)),))


def tiling_with(status: int, *sizes: int) -> CacheableFwkData:
    def run(context: Any) -> int:
        context.get_workspace_sizes(len(sizes))[:] = sizes
        return status

    return CacheableFwkData(run, LaunchArgs(0, 0, 1, 1, 2048))


@dataclass(frozen=True)
class Case:
    """One kernel that fails: its inputs, and what it says and returns."""

    kernel: str
    inputs: tuple[Any, ...]
    file: str
    line: int
    func: str
    text: str
    code: int = FAILED
    status: int = FAILED
    outputs: tuple[Any, ...] = ()
    node: ComputeNodeInfo | None = field(default=NODE)
    creates: bool = False


MEMORY, COPY, TILING = "memory_kernel.cc", "memory_copy.cc", "tiling.cc"
CASES = [
    Case(
        *("AllocMemHbm", (NO_MEMORY, 64), MEMORY, 382, "AllocHbmMem"),
        "[AllocMemHbm][k]malloc failed, stream 0, tensor size=64, index=1",
        outputs=(GertTensorData(),),
    ),
    Case(
        *("AllocBatchHbm", (NO_MEMORY, [1] * 17), MEMORY, 472, "AllocBatchHbm"),
        "[AllocBatchHbm] The alloc count 17 more than output capacity 16",
        outputs=([],),
    ),
    Case(
        *("AllocBatchHbm", (NO_MEMORY, [0, 512]), MEMORY, 501, "AllocBatchHbm"),
        "malloc failed, tensor size=512, index=1",
        outputs=([],),
    ),
    Case("FreeMemory", (None,), MEMORY, 0, "FreeMemory", "[FreeMemory][k]Get nullptr gert_tensor_data"),
    Case("FreeBatchHbm", (None,), MEMORY, 586, "FreeBatchHbm", "[FreeBatchHbm] input addrs para error"),
    Case(
        *("SelectL1Allocator", (Placement.END, None, None, 0), MEMORY, 105, "SelectL1Allocator"),
        "Invalid placement or memory type, placement: 4",
        *(PARAM_INVALID, PARAM_INVALID),
    ),
    Case(
        *("SelectL1Allocator", (Placement.DEVICE_HBM, None, None, 0), MEMORY, 0, "SelectL1Allocator"),
        "Assert ((created_allocator) != nullptr) failed",
        *(FAILED, PARAM_INVALID),
    ),
    Case(
        *("CreateL2Allocators", (0, Placement.DEVICE_HBM), MEMORY, 0, "CreateL2Allocators"),
        "Assert (stream_num > 0U) failed",
        *(FAILED, PARAM_INVALID),
        creates=True,
    ),
    Case(
        *("SelectL2Allocator", (3, None, None, [None]), MEMORY, 313, "SelectL2Allocator"),
        "Failed to select allocator, invalid stream id 3, should be less than 1",
        *(PARAM_INVALID, PARAM_INVALID),
    ),
    Case(
        *("SplitRtStreams", ([0], 2), "stream.cc", 42, "SplitRtStreams"),
        "Failed to get rts stream from stream_num 2, rts stream num is not enough(1)",
        *(PARAM_INVALID, PARAM_INVALID),
    ),
    Case(
        *("SplitDataTensor", (None, NO_MEMORY), "build_tensor.cc", 0, "SplitDataTensor"),
        "[SplitDataTensor][k]Get nullptr input_tensor",
    ),
    Case(
        *("EnsureTensorAtOutMemory", (SHAPE, None, ATTR, 0, None), COPY, 0, "EnsureTensorAtOutMemory"),
        "[EnsureTensorAtOutMemory][k]Get nullptr tensor_data",
    ),
    Case(
        *(
            "EnsureTensorAtOutMemory",
            (SHAPE, HERE, ATTR, 0, Tensor(StorageShape.same(()), data=TensorData(1, 4, Placement.HOST))),
            *(COPY, 567, "TensorToOut"),
        ),
        "Failed to copy output tensor data to the given buffer, given buffer size 4 is less than output tensor size 32",
        PARAM_INVALID,
    ),
    Case(
        *(
            "EnsureTensorAtOutMemory",
            (
                SHAPE,
                GertTensorData(0x10, 8),
                ATTR,
                0,
                Tensor(StorageShape.same(()), data=TensorData(1, 64, Placement.HOST)),
            ),
            *(COPY, 588, "TensorToOut"),
        ),
        "Failed to copy output tensor data to the given buffer, output tensor data size 8 is less than copy size "
        "size 32, src_address: 0x10",
        PARAM_INVALID,
    ),
    Case(
        *(
            "EnsureTensorAtOutMemory",
            (SHAPE, NOWHERE, ATTR, 0, Tensor(StorageShape.same(()), data=TensorData(1, 64, Placement.HOST))),
            *(COPY, 598, "TensorToOut"),
        ),
        "Failed to copy output tensor to the given buffer, do not support the copy direction, from Unknown(4) to "
        "HostDDR(1)",
        PARAM_INVALID,
    ),
    Case(
        *("CopyH2D", (0, NO_MEMORY, HERE, 64, SHAPE, DType.FLOAT), COPY, 190, "CopyTensorDataToD"),
        "[CopyH2D][k]malloc failed, tensor size=128",
        outputs=(GertTensorData(),),
    ),
    Case(
        *("CopyD2D", (NOWHERE, HERE, 64, 0), COPY, 345, "CopyD2D"),
        "unsupported copy form placement Unknown to DeviceHbm",
    ),
    Case(
        *("SinkWeightData", (HERE, GertTensorData(1, 8), 0, 0), COPY, 680, "SinkWeightData"),
        "sink data is invalid. src_size[64], dest_size[8]",
    ),
    Case(
        *("GetOrCreateWeightMem", (64, (0, 0), NO_MEMORY), "sink_weight_assigner.cc", 92, "GetOrCreateWeightMem"),
        "[GetOrCreateWeightMem][k]malloc failed, tensor size[64]",
        outputs=(GertTensorData(),),
    ),
    Case(
        *("FindInferShapeFunc", ("Add", OpRegistry()), "infer_shape.cc", 227, "FindInferShapeFunc"),
        "[FindInferShapeFunc][k]Failed to find infer shape kernel, node type Add",
    ),
    Case(
        *("InferShape", (SHAPE, lambda _context: FAILED), "infer_shape.cc", 263, "InferShape"),
        "[InferShape][k]InferShape failed, node type Add, name add1, error-code 4294967295",
        outputs=(SHAPE,),
    ),
    Case(
        *("InferShape", (lambda _context: 0,), "infer_shape.cc", 269, "InferShape"),
        "[InferShape][k]Failed to trans shape to 5D when infer shape for node add1, type Add, error-code 0",
        outputs=(SHAPE,),
        node=FOREIGN,
    ),
    Case(
        *("FindTilingFunc", ("Add", OpRegistry()), TILING, 277, "FindTilingFunc"),
        "Failed to find func by type Add, func_name tiling",
        *(PARAM_INVALID, PARAM_INVALID),
    ),
    Case(
        *("TilingParse", ("{}", None, "Add", OpRegistry()), TILING, 277, "TilingParse"),
        "Failed to find func by type Add, func_name tiling_parse",
        *(PARAM_INVALID, PARAM_INVALID),
    ),
    Case(
        *("Tiling", (SHAPE, SHAPE, None, None, tiling_with(FAILED), 0, 0), TILING, 0, "Tiling"),
        "Assert ((tiling_func(tiling_context)) == ge::GRAPH_SUCCESS) failed",
        outputs=(None,) * 12,
    ),
    Case(
        *("Tiling", (SHAPE, SHAPE, None, None, tiling_with(0, 16, -5), 0, 0), TILING, 375, "Tiling"),
        "size[-5] of workspace[1] cannot be negative",
        *(FAILED, PARAM_INVALID),
        outputs=(None,) * 12,
    ),
    Case(
        *("CacheableTiling", (SHAPE, SHAPE, None, None, tiling_with(0, (1 << 64) - 511), 0, 0), TILING, 402, "Tiling"),
        "size[18446744073709551105] of workspace[0] exceeds max size with 512 alignment",
        *(FAILED, PARAM_INVALID),
        outputs=(None,) * 12,
    ),
    Case(
        *("TilingAppendWorkspace", ([512, 512], [32]), TILING, 360, "TilingAppendWorkspace"),
        "known_workspaces size[1] should be larger than tiling_workspaces size[2]",
        *(FAILED, PARAM_INVALID),
    ),
    Case(
        *(
            "SinkNodeBinWithHandle",
            (KernelBinary("Nop", "id"), "id"),
            "sink_node_bin.cc",
            78,
            "SinkNodeBinWithHandle",
        ),
        "SinkNodeBinWithHandle para check failed",
    ),
]


def context_of(process: OpenProcess, case: Case) -> KernelContext:
    inputs = tuple(Cell(value) for value in case.inputs)
    return KernelContext("k", case.kernel, inputs, tuple(map(Cell, case.outputs)), case.node, process.machine)


def errors(process: OpenProcess) -> list[Event]:
    return [item.event for item in process.recorder.heard if item.level == Level.ERROR]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.kernel}-{case.line}" for case in CASES])
def test_a_kernel_that_fails_says_what_ge_says_and_where(case: Case) -> None:
    process = open_process()
    process.recorder.heard.clear()
    kernel = next(kernel for kernel in builtin_kernels() if kernel.type == case.kernel)
    run: Callable[[KernelContext], int] | None = kernel.outputs_creator if case.creates else kernel.run
    assert run is not None
    assert run(context_of(process, case)) == case.status
    assert errors(process) == [LogLine("GE", case.file, case.line, case.func, case.text, case.code)]


def test_a_kernel_that_failed_before_it_had_an_output_can_still_be_traced() -> None:
    kernel = next(kernel for kernel in builtin_kernels() if kernel.type == "TilingAppendWorkspace")
    case = next(case for case in CASES if case.kernel == "TilingAppendWorkspace")
    context = context_of(open_process(), case)
    context.outputs = (Cell(),)
    assert kernel.run(context) == PARAM_INVALID
    assert kernel.trace_printer is not None
    (event,) = kernel.trace_printer(context)
    assert getattr(event, "sizes", ()) == ()


def test_a_fault_of_the_device_is_said_where_the_stream_is_synchronised() -> None:
    process = open_process()
    stream = process.machine.device.stream(process.arg.stream)

    def die() -> None:
        raise RuntimeError("read too far")

    process.machine.device.launch(stream, Task("add", die))
    assert process.machine.synchronize(process.arg.stream) == PARAM_INVALID
    assert [type(event).__name__ for event in errors(process)[:-1]] == [
        "TaskException",
        "CoreError",
        "KernelFault",
        "SyncFailed",
        "KernelFault",
        "ApiFailed",
    ]
    assert errors(process)[-1:] == [
        LogLine("GE", "utils.cc", 50, "DoRtStreamSyncWithTimeout", "Assert ((rt_ret) == 0) failed", FAILED)
    ]
