"""Family M, AI CPU and host CPU: each kernel type that runs here is run (spec/lowering.md 4.5, 4.6, 11.M)."""

from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from getrace.events.aicpu import AicpuAddresses, AicpuArgs, CcLaunch, TfLaunch
from getrace.events.launch import TaskIds
from getrace.events.shapes import ExtShapes, ExtShapesOut
from runtime.kernels.aicpu_args import ArgsHandler
from runtime.kernels.aicpu_ext_info import ExtInfo
from runtime.kernels.context import Cell, KernelContext
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Placement, StorageShape, Tensor

F, I64 = DType.FLOAT, DType.INT64
ADD = node_info("Add", (F, F), (F,))
FAILED = 4294967295


def args_of(bench: Workbench, kind: str = "BuildTfArgs", io_num: int = 3, *, block: bool = False) -> ArgsHandler:
    """An argument block as Init builds it; the sizes are those of a truth log."""
    shared: tuple[Any, ...] = (io_num, "add", True, b"", 92, 462)
    tails: dict[str, tuple[Any, ...]] = {
        "BuildTfArgs": (block, 0x77 if block else 0, 0, b"", 14, 1, 0x12C041200000),
        "BuildCCArgs": (block, 0, 0, "func", 5, "", 1),
        "BuildHostCCArgs": (),
    }
    context = bench.context(kind, *shared, *tails[kind], node=ADD)
    assert bench.run(context) == 0
    made: ArgsHandler = context.output(0)
    return made


def ext_of(bench: Workbench, block: ArgsHandler, shape_class: int, inputs: int = 2, outputs: int = 1) -> ExtInfo:
    addr = bench.context("GetExtInfoAddrFromArgs", block, outputs=2)
    assert bench.run(addr) == 0
    given = (b"", 0, "op", inputs, outputs, shape_class, addr.output(0), addr.output(1), 9, False, 0)
    context = bench.context("BuildExtInfoHandle", *given, node=ADD)
    assert bench.run(context) == 0
    made: ExtInfo = context.output(0)
    return made


def updated(bench: Workbench, block: ArgsHandler, *data: GertTensorData) -> None:
    assert bench.run(bench.context("UpdateAicpuIoAddr", block, *data, outputs=0)) == 0


def told(bench: Workbench, ext: ExtInfo, *shapes: tuple[int, ...], inputs: int = 2, outputs: int = 1) -> KernelContext:
    slots = [StorageShape.same(shape) for shape in shapes]
    context = bench.context("UpdateExtShape", ext, inputs, outputs, bench.stream, *slots, outputs=0)
    assert bench.run(context) == 0
    return context


def launch_tf(bench: Workbench, block: ArgsHandler, node: Any = ADD) -> KernelContext:
    return bench.context("AicpuLaunchTfKernel", block, bench.stream, None, "TFKernel", outputs=0, node=node)


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


@pytest.mark.parametrize("kind", ["BuildTfArgsBinHandle", "BuildCCArgsBinHandle"])
def test_there_is_no_binary_described_in_json(kind: str) -> None:
    bench = Workbench()
    context = bench.context(kind, "op desc", "type")
    assert bench.run(context) == 0
    assert context.output(0) is None


def test_a_session_is_made_on_the_ai_cpu() -> None:
    bench = Workbench()
    assert bench.run(bench.context("EnsureCreateTfSession", 7, outputs=0)) == 0
    assert bench.machine.tf_sessions == {7}


def test_the_offsets_of_a_tf_block_are_those_of_a_truth_log() -> None:
    kernels = ((0, 80, 112), (1, 88, 126), (2, 104, 150))
    assert args_of(Workbench()).offsets() == AicpuArgs(612, 620, 0, 3, (), kernels)


def test_the_offsets_of_a_cc_block_are_those_of_a_truth_log() -> None:
    assert args_of(Workbench(), "BuildCCArgs").offsets() == AicpuArgs(97, 92, 0, 1, (), ((0, 12, 98),))


def test_a_task_that_is_not_there_has_no_extended_information() -> None:
    bench = Workbench()
    assert bench.run(bench.context("GetExtInfoAddrFromArgs", None, outputs=2)) == FAILED
    assert bench.said() == ["[GetExtInfoAddrFromArgs][k]Get nullptr args_handler"]


def test_a_tf_task_computes_what_its_operator_is_called() -> None:
    bench = Workbench()
    block = args_of(bench)
    ext = ext_of(bench, block, 1)
    x, y, z = bench.on_device(floats(1, 2)), bench.on_device(floats(10, 20)), bench.on_device(floats(0, 0))
    shapes = told(bench, ext, (2,), (2,), (2,))
    assert bench.traces(shapes) == [ExtShapes(((2,), (2,)), ((2,),))]
    updated(bench, block, x, y, z)
    task = launch_tf(bench, block)
    assert bench.run(task) == 0
    assert bench.read(z, F, (2,)).tolist() == [11, 22]
    assert bench.traces(task) == [
        TfLaunch("op", bench.stream, block.handle, 3, 0),
        block.offsets(),
        AicpuAddresses((x.addr, y.addr, z.addr), (8, 8, 8)),
        TaskIds(bench.machine.device.stream(bench.stream).rt_id, 0, 0, 0),
    ]


def test_a_blocking_task_is_followed_by_the_wait_for_its_event() -> None:
    bench = Workbench()
    block = args_of(bench, block=True)
    assert (block.is_block, block.event) == (True, 0x77)
    told(bench, ext_of(bench, block, 1), (1,), (1,), (1,))
    updated(bench, block, *(bench.on_device(floats(1)) for _ in range(3)))
    assert bench.run(launch_tf(bench, block)) == 0
    last = bench.machine.device.stream(bench.stream).last_task
    assert last is not None
    assert last.task == 1


def test_a_cc_task_computes_and_says_its_block_dim() -> None:
    bench = Workbench()
    block = args_of(bench, "BuildCCArgs")
    ext = ext_of(bench, block, 1)
    x, y, z = bench.on_device(floats(3)), bench.on_device(floats(4)), bench.on_device(floats(0))
    told(bench, ext, (1,), (1,), (1,))
    updated(bench, block, x, y, z)
    given = (block, bench.stream, 2, 6, ext, None, "CCKernel")
    task = bench.context("AicpuLaunchCCKernel", *given, outputs=0, node=ADD)
    assert bench.run(task) == 0
    assert bench.read(z, F, (1,)).tolist() == [7]
    assert bench.traces(task)[0] == CcLaunch("op", 2, bench.stream, block.handle, 8)


def test_shapes_that_never_change_come_from_the_model() -> None:
    bench = Workbench()
    block = args_of(bench, io_num=2)
    negative = node_info("Neg", (F,), (F,), ((3,),), ((3,),))
    x, y = bench.on_device(floats(1, 2, 3)), bench.on_device(floats(0, 0, 0))
    updated(bench, block, x, y)
    assert bench.run(launch_tf(bench, block, negative)) == 0
    assert bench.read(y, F, (3,)).tolist() == [-1, -2, -3]


def test_addresses_of_no_task_are_refused() -> None:
    bench = Workbench()
    assert bench.run(bench.context("UpdateAicpuIoAddr", None, outputs=0)) == FAILED
    assert bench.said() == ["[UpdateAicpuIoAddr][k]Get nullptr args_handler"]


def test_a_workspace_is_told_where_it_is() -> None:
    bench = Workbench()
    ext = ext_of(bench, args_of(bench), 1)
    data = bench.on_device(floats(0))
    assert bench.run(bench.context("UpdateExtWorkSpaceInfo", 4, data, ext, outputs=0)) == 0
    assert ext.workspace == data.addr


def test_a_third_class_task_tells_the_shape_it_found() -> None:
    bench = Workbench()
    node = node_info("NonZero", (F,), (I64,))
    block = args_of(bench, io_num=2)
    ext = ext_of(bench, block, 3, inputs=1)
    x, y = bench.on_device(floats(0, 5, 0, 6)), bench.on_device(np.zeros((4, 1), np.int64))
    told(bench, ext, (4,), (4, 1), inputs=1)
    updated(bench, block, x, y)
    assert bench.run(launch_tf(bench, block, node)) == 0
    assert bench.read(y, I64, (2, 1)).tolist() == [[1], [3]]
    largest = Tensor(StorageShape.same((4, 1)))
    shapes = bench.context("GetExtOutputShapes", ext, "engine", outputs=[largest], node=node)
    assert bench.run(shapes) == 0
    assert largest.shape == StorageShape.same((2, 1))
    assert bench.traces(shapes) == [ExtShapesOut(((2, 1),), ((2, 1),))]


def test_a_task_that_told_no_shape_is_an_error() -> None:
    bench = Workbench()
    ext = ext_of(bench, args_of(bench), 3)
    assert bench.run(bench.context("GetExtOutputShapes", ext, "engine")) == FAILED
    assert bench.said() == ["CopyOutputShapeForThirdOp fail, output_shape_len_:1."]


def test_a_fourth_class_task_leaves_summaries_and_a_second_task_fetches_the_results() -> None:
    bench = Workbench()
    node = node_info("Unique", (F,), (F, I64))
    block = args_of(bench, io_num=3)
    told(bench, ext_of(bench, block, 4, inputs=1, outputs=2), (4,), inputs=1, outputs=2)
    summaries = [bench.on_device(np.zeros(4, np.int64)) for _ in range(2)]
    updated(bench, block, bench.on_device(floats(7, 3, 7, 1)), *summaries)
    assert bench.run(launch_tf(bench, block, node)) == 0
    assert bench.machine.device.synchronize(bench.stream) == 0

    found = bench.context("GetHostSummary", *summaries, outputs=2)
    assert bench.run(found) == 0
    records = [cell.value for cell in found.outputs]
    assert [(record.shape_size, record.raw_size) for record in records] == [(8, 12), (8, 32)]
    for kernel, sizes in (("GetSummaryDataSizes", [64, 64]), ("GetSummaryShapeSizes", [8, 8])):
        context = bench.context(kernel, *records, outputs=2)
        assert bench.run(context) == 0
        assert [cell.value for cell in context.outputs] == sizes

    data = [bench.on_device(np.zeros(64, np.uint8)) for _ in range(2)]
    dims = [bench.on_device(np.zeros(1, np.int64)) for _ in range(2)]
    lists = [bench.on_device(np.zeros(4, np.int64)) for _ in range(4)]
    prepare = bench.context("PrepareCopyInputs", 2, *lists, *records, *data, *dims, bench.stream, outputs=0)
    assert bench.run(prepare) == 0
    copy = args_of(bench, io_num=4)
    updated(bench, copy, *lists)
    assert bench.run(launch_tf(bench, copy, node_info("MemCopy", (F, F)))) == 0
    assert bench.read(data[0], F, (3,)).tolist() == [7, 3, 1]
    assert bench.read(data[1], I64, (4,)).tolist() == [0, 1, 0, 2]

    shapes = bench.context("GetOutputShapeFromHbmBuffer", *records, *dims, outputs=2, node=node)
    assert bench.run(shapes) == 0
    assert [cell.value.shape.origin for cell in shapes.outputs] == [(3,), (4,)]


def test_a_task_without_extended_information_takes_no_shapes() -> None:
    bench = Workbench()
    stand_in = object()
    shape = StorageShape.same((1,))
    context = bench.context("UpdateExtShape", stand_in, 1, 0, bench.stream, shape, outputs=0)
    assert bench.run(context) == 0
    assert bench.traces(context) == []


def test_lists_that_do_not_fit_the_outputs_are_refused() -> None:
    bench = Workbench()
    lists = [bench.on_device(floats(0)) for _ in range(4)]
    assert bench.run(bench.context("PrepareCopyInputs", 1, *lists, bench.stream, outputs=0)) == FAILED
    assert bench.said() == ["[PrepareCopyInputs][k]Inputs do not fit output number 1"]


def test_absent_optional_inputs_get_no_address() -> None:
    bench = Workbench()
    x = bench.on_device(floats(1))
    context = bench.context("ExpandAicpuOptionalInputAddrs", x, Placement.DEVICE_HBM, outputs=2)
    assert bench.run(context) == 0
    assert [cell.value.addr for cell in context.outputs] == [x.addr, 0]


@pytest.mark.parametrize(("axis", "dims", "cores"), [(0, (3, 100), 3), (1, (3, 100), 8), (-1, (2, 2), 4), (0, (0,), 1)])
def test_the_block_dim_is_the_axis_cut_over_the_cores(axis: int, dims: tuple[int, ...], cores: int) -> None:
    bench = Workbench()
    context = bench.context("CalcBlockDim", axis, StorageShape.same(dims))
    assert bench.run(context) == 0
    assert context.output(0) == cores


def test_an_axis_that_is_not_there_is_refused() -> None:
    bench = Workbench()
    assert bench.run(bench.context("CalcBlockDim", 2, StorageShape.same((3,)))) == FAILED
    assert bench.said() == ["[CalcBlockDim][k]Invalid axis 2 of shape with 1 dims"]


def test_a_custom_library_is_loaded_and_cleared() -> None:
    bench = Workbench()
    loaded = bench.context("LaunchAicpuCustKernel", None, "libmine.so")
    assert bench.run(loaded) == 0
    assert bench.machine.custom_libraries == {"libmine.so"}
    assert bench.run(bench.context("ClearAicpuCustKernel", loaded.outputs[0], outputs=0)) == 0
    assert bench.machine.custom_libraries == set()


def test_events_of_blocking_tasks_are_numbered_and_ended() -> None:
    bench = Workbench()
    made = [bench.context("CreateEvent", outputs=2) for _ in range(2)]
    assert [bench.run(context) for context in made] == [0, 0]
    assert [context.output(1) for context in made] == [1, 2]
    event = Cell(made[0].output(0))
    assert event.value != made[1].output(0)
    assert bench.run(bench.context("DestroyEvent", event, outputs=0)) == 0
    assert event.value == 0


def test_the_step_id_counts_on_the_host_and_on_the_device() -> None:
    bench = Workbench()
    made = bench.context("CreateStepId", outputs=2)
    assert bench.run(made) == 0
    step = GertTensorData(made.output(0), 8, Placement.DEVICE_HBM, 0)
    for count in (1, 2):
        cells = made.outputs
        assert bench.run(bench.context("IncreaseStepId", cells[0], cells[1], bench.stream, outputs=0)) == 0
        assert cells[1].value == count
        assert bench.read(step, I64, ()) == count
    used = bench.machine.device.hbm.used
    made.outputs[0].release()
    assert bench.machine.device.hbm.used == used - 8


def test_host_inputs_of_one_operator_are_fused() -> None:
    bench = Workbench()
    there, host = bench.on_device(floats(1)), bench.on_host(floats(5, 6))
    home = bench.allocator()
    pairs = ((there, 64, StorageShape.same((1,)), F), (host, 64, StorageShape.same((2,)), F))
    given = [value for pair in pairs for value in pair]
    context = bench.context("AicpuFuseHost", args_of(bench), 0, bench.stream, home, *given, outputs=2)
    assert bench.run(context) == 0
    first, second = (cell.value for cell in context.outputs)
    assert first.addr == there.addr
    assert second.placement == Placement.DEVICE_HBM
    assert bench.read(second, F, (2,)).tolist() == [5, 6]


def test_the_host_computes_at_once_on_the_addresses_of_a_block() -> None:
    bench = Workbench()
    block = args_of(bench, "BuildHostCCArgs")
    told(bench, ext_of(bench, block, 1), (2,), (2,), (2,))
    x, y, z = bench.on_host(floats(1, 2)), bench.on_host(floats(3, 4)), bench.on_host(floats(0, 0))
    assert bench.run(bench.context("AicpuHostCompute", block, x, y, z, outputs=0, node=ADD)) == 0
    assert bench.read(z, F, (2,)).tolist() == [4, 6]


@pytest.mark.parametrize(
    ("kind", "values", "bound", "found", "numbers"),
    [("Neg", (1, 2), (2,), (2,), [-1, -2]), ("NonZero", (0, 4), (2, 1), (1, 1), [[1]])],
)
def test_a_host_function_fills_outputs_and_lowers_a_bound(
    kind: str, values: tuple[float, ...], bound: tuple[int, ...], found: tuple[int, ...], numbers: Any
) -> None:
    bench = Workbench()
    dtype = F if kind == "Neg" else I64
    node = node_info(kind, (F,), (dtype,))
    target = bench.on_host(np.zeros(bound, dtype.numpy))
    shape = Tensor(StorageShape.same(bound))
    given = (StorageShape.same((2,)), bench.on_host(floats(*values)), "function")
    context = bench.context("AicpuHostExecFunc", *given, outputs=[shape, target], node=node)
    assert bench.run(context) == 0
    assert shape.shape.origin == found
    assert bench.read(target, dtype, found).tolist() == numbers


def test_a_number_stays_a_number() -> None:
    bench = Workbench()
    shape, target = Tensor(StorageShape.same(())), bench.on_host(np.zeros((), np.float32))
    given = (StorageShape.same(()), bench.on_host(np.array(4, np.float32)), "function")
    node = node_info("Neg", (F,), (F,))
    assert bench.run(bench.context("AicpuHostExecFunc", *given, outputs=[shape, target], node=node)) == 0
    assert shape.shape.origin == ()
    assert bench.read(target, F, ()) == -4


def test_host_output_memory_is_kept_while_it_is_large_enough() -> None:
    bench = Workbench()
    home = bench.allocator(Placement.HOST)
    size = Cell(64)
    context = bench.context("AllocHostCpuOutputMemory", size, home)
    addresses = []
    for wanted in (64, 32, 128):
        size.value = wanted
        assert bench.run(context) == 0
        addresses.append(context.output(0).addr)
    assert addresses[0] == addresses[1] != addresses[2]
    assert context.output(0).size == 128
