"""The functions of gert_api.h: scenarios MX-23, 24 and 28 to 32 of spec/execution.md 8.2 and the paragraphs of 3.2."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest
from api_calls import add_of, calls, om_bytes, ones

from getrace.dumps.om_inout import InOut
from getrace.dumps.om_tasks import TaskList
from getrace.dumps.om_writer import write_om
from runtime.api.gert.allocator_factory import create_allocator, create_external_allocator
from runtime.api.gert.loaders import (
    LoadExecutorArgs,
    load_executor_from_file,
    load_executor_from_model_data,
    load_executor_from_model_data_with_rt_session,
)
from runtime.api.gert.model_data import ModelData, is_dynamic_model, is_dynamic_model_file, load_data_from_file
from runtime.api.gert.root_model import load_root_model
from runtime.api.gert.stream_loaders import load_stream_executor_from_model_data
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.model_converter import LoadAllocators
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.executors.resources import EventAllocator, NotifyAllocator, StreamAllocator
from runtime.executors.rt_session import RtSession
from runtime.frontend.to_om import om_of
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import TensorDesc
from runtime.graph.stream_assign import assign_events
from runtime.lowering.io_desc_checks import io_size, is_origin_shape_in_range, is_shape_in_range, shape_fault
from runtime.lowering.model_desc import ModelIoDesc
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.external import AllocatorDesc
from runtime.memory.host import HostMemAllocator
from runtime.values import DType, Placement, Shape, StorageShape, Tensor

PARAM_INVALID = 1343225857
FAILED = 4294967295


def io(dims: tuple[int, ...], limits: tuple[tuple[int, int], ...] | None, dtype: DType = DType.FLOAT) -> ModelIoDesc:
    return ModelIoDesc("x", TensorDesc(Shape(dims), dtype, shape_range=limits))


@pytest.mark.parametrize(
    ("shape", "fits"),
    [((2, 3, 4), False), ((2, 9), False), ((2, 8), True), ((0, 8), False), ((1 << 40, 1), True), ((-1, 8), True)],
)
def test_MX_23_a_shape_fits_when_each_dimension_lies_in_its_range(shape: tuple[int, ...], fits: bool) -> None:
    wanted = io((-1, -1), ((1, -1), (1, 8)))
    assert is_shape_in_range(wanted, Shape(shape)) is fits
    assert is_origin_shape_in_range(wanted, Shape(shape)) is fits


@pytest.mark.parametrize(
    ("shape", "limits", "text"),
    [
        ((2,), ((1, 2), (1, 2)), "Shape size 1 is different from min shape size 2 or max shape size 2"),
        ((2,), ((-1, 2),), "lower bound[-1] is less than 0"),
        ((2,), ((3, 2),), "lower bound[3] is larger than upper bound[2]"),
        ((9,), ((1, 8),), "cur dim[9] is not in shape range[1, 8]"),
        ((0,), ((1, -1),), "cur dim[0] is not in shape range[1, 9223372036854775807]"),
        ((8,), ((1, 8),), None),
        ((8,), None, None),
    ],
)
def test_MX_23_what_is_wrong_with_a_shape_is_said(
    shape: tuple[int, ...], limits: tuple[tuple[int, int], ...] | None, text: str | None
) -> None:
    assert shape_fault(Shape(shape), limits) == text


@pytest.mark.parametrize(
    ("dims", "dtype", "size"),
    [
        ((2, -1), DType.FLOAT, 0),
        ((-2,), DType.FLOAT, 0),
        ((2, 3), DType.FLOAT, 24),
        ((3,), DType.INT4, 2),
        ((), DType.INT8, 1),
    ],
)
def test_MX_24_a_tensor_of_open_shape_has_size_0(dims: tuple[int, ...], dtype: DType, size: int) -> None:
    assert io_size(io(dims, None, dtype)) == size


def test_MX_28_a_model_and_a_process_that_disagree_on_determinism() -> None:
    there = calls()
    there.process.options["ge.deterministic"] = "0"
    data = ModelData(om_bytes(add_of(-1), **{"ge.deterministic": 1}))
    assert load_executor_from_model_data(there.process, data, args=LoadExecutorArgs()) == (None, PARAM_INVALID)
    text = "The offline model option[ge.deterministic]=1 conflicts with process option[ge.deterministic]=0."
    assert there.errors() == [("api.cc", 52, text, PARAM_INVALID)]
    assert there.process.reports == [("E10001", text)]


def test_MX_28_a_process_without_the_option_takes_the_models() -> None:
    there = calls()
    data = ModelData(om_bytes(add_of(-1), **{"ge.deterministic": 1}))
    executor, status = load_executor_from_model_data(there.process, data, args=LoadExecutorArgs())
    assert (executor is not None, status) == (True, 0)
    assert there.process.options["ge.deterministic"] == "1"


def test_MX_29_a_stream_executor_does_not_compare_options() -> None:
    there = calls()
    there.process.options["ge.deterministic"] = "0"
    data = ModelData(om_bytes(add_of(-1), **{"ge.deterministic": 1}))
    executor, status = load_stream_executor_from_model_data(there.process, data)
    assert (executor is not None, status, there.errors()) == (True, 0, [])


def header(version: int, model_num: int, unknown: int) -> bytes:
    """256 bytes of which only three fields count."""
    return struct.pack("<8xI144xI33xB62x", version, model_num, unknown)


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (header(0x20000000, 1, 0), (0, False)),
        (header(0x20000000, 2, 0), (0, True)),
        (header(0x20000000, 1, 1), (0, True)),
        (header(0x10000000, 2, 1), (0, False)),
        (header(0x20000000, 1, 1)[:255], (145006, False)),
        (None, (PARAM_INVALID, False)),
    ],
)
def test_MX_30_a_model_is_dynamic_by_its_header(model: bytes | None, answer: tuple[int, bool]) -> None:
    assert is_dynamic_model(calls().process, model) == answer


def test_MX_30_what_is_said_of_no_model_and_of_half_a_header() -> None:
    there = calls()
    is_dynamic_model(there.process, None)
    is_dynamic_model(there.process, bytes(255))
    short = "[Check][Param] Invalid model size. Model data size 255 must be greater than or equal to 256."
    assert there.errors() == [
        ("api.cc", 219, "[Check][Input] failed, model is null.", FAILED),
        ("api.cc", 222, short, 145006),
    ]


def test_MX_30_a_model_is_dynamic_by_the_header_of_its_file(tmp_path: Path) -> None:
    there = calls()
    for columns, dynamic in ((-1, True), (3, False)):
        path = tmp_path / f"{dynamic}.om"
        path.write_bytes(om_bytes(add_of(columns)))
        assert is_dynamic_model_file(there.process, str(path)) == (0, dynamic)
    assert there.errors() == []
    assert is_dynamic_model_file(there.process, None) == (PARAM_INVALID, False)
    assert is_dynamic_model_file(there.process, "none.om") == (145002, False)
    assert there.texts() == [
        "[Check][ModelPath] failed, model_path is null.",
        "[Check][Param]Model file path none.om is invalid",
        "Failed to load model data from model path[none.om]",
    ]


@pytest.mark.parametrize(
    ("content", "name", "texts", "report"),
    [
        (None, "gone.om", ["[Check][Param]Model file path {} is invalid"], "E13000"),
        (b"", "empty.om", ["[Check][Param]File {} size 0 is invalid, it must be at least 1"], "E13015"),
    ],
)
def test_MX_31_a_file_that_cannot_be_read(
    content: bytes | None, name: str, texts: list[str], report: str, tmp_path: Path
) -> None:
    there, path = calls(), tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert load_data_from_file(there.process, str(path)) == (None, 145002)
    assert there.texts() == [*(text.format(path) for text in texts), "Failed to load model data"]
    assert [code for code, _ in there.process.reports] == [report]


@pytest.mark.parametrize("path", [None, "", "long" * 2000, "a\0b"])
def test_MX_31_a_path_that_names_no_file(path: str | None) -> None:
    there = calls()
    assert load_data_from_file(there.process, path) == (None, 145002)
    shown = "(null)" if path is None else path
    assert there.texts() == [f"[Check][Param]Model file path {shown} is invalid", "Failed to load model data"]


@pytest.mark.parametrize(
    ("placement", "kind"),
    [
        (Placement.DEVICE_HBM, CachingMemAllocator),
        (Placement.HOST, HostMemAllocator),
        (Placement.FOLLOWING, HostMemAllocator),
        (Placement.DEVICE_P2P, CachingMemAllocator),
    ],
)
def test_MX_32_each_placement_has_its_allocator(placement: Placement, kind: type) -> None:
    there = calls()
    made = create_allocator(there.process, placement)
    assert made is not None
    assert type(made) is kind
    block = made.malloc(100)
    assert block is not None
    assert block.size >= 100
    made.free(block)


def test_MX_32_another_placement_has_none() -> None:
    there = calls()
    assert create_allocator(there.process, Placement.END) is None
    assert there.errors() == [("api.cc", 272, "Unsupported placement 4 to create allocator", PARAM_INVALID)]


def test_a_model_is_loaded_from_its_file_and_run(tmp_path: Path) -> None:
    there, path = calls(), tmp_path / "add.om"
    path.write_bytes(om_bytes(add_of(-1)))
    executor, status = load_executor_from_file(there.process, str(path))
    assert executor is not None
    device = there.process.device
    inputs = [to_tensor(device, ones(2, 3)), to_tensor(device, 2 * ones(2, 3))]
    output = Tensor(StorageShape(Shape(), Shape()))
    assert (status, executor.load(), executor.execute_sync(inputs, [output])) == (0, 0, 0)
    assert to_array(device, output).tolist() == [[3.0, 3.0, 3.0]] * 2
    assert executor.unload() == 0


def test_what_is_said_of_a_file_that_is_no_model(tmp_path: Path) -> None:
    there, path = calls(), tmp_path / "text.om"
    path.write_bytes(b"not a model" * 100)
    assert load_executor_from_file(there.process, str(path)) == (None, 145006)
    assert there.texts() == [
        "model data, offset 0: Invalid om file. It does not begin as one.",
        "Failed to load root model from model data",
    ]
    assert load_executor_from_file(there.process, "gone.om") == (None, 145002)
    assert there.texts()[1:] == ["Failed to load model data", "Failed to load model data form model path"]


def test_a_model_of_another_chip_is_refused() -> None:
    there = calls()
    data = ModelData(om_bytes(add_of(-1), soc_version="Ascend310P3"))
    assert load_executor_from_model_data(there.process, data) == (None, FAILED)
    assert there.texts()[0] == "Model soc version is not support in this device."
    data = ModelData(om_bytes(add_of(-1), soc_version="Ascend910B1"))
    assert load_executor_from_model_data(there.process, data).error_code == 0


@pytest.mark.parametrize(
    ("installed", "columns", "status"), [("8.0", -1, 0), ("7.3", -1, FAILED), ("", -1, 0), ("7.3", 3, 0)]
)
def test_a_dynamic_model_of_other_operators_is_refused(installed: str, columns: int, status: int) -> None:
    there = calls()
    there.process.opp_version = installed
    data = ModelData(om_bytes(add_of(columns), opp_version="8.0"))
    assert load_root_model(there.process, data)[1] == status
    text = "The opp version of the model does not match the current opp run package"
    assert (there.texts()[:1] == [text]) is bool(status)


def test_a_graph_without_anything_compiled_is_no_executable_model() -> None:
    there = calls()
    om = om_of(add_of(-1))
    bare = replace(om.models[0], weights_data=memoryview(b""), task_list=TaskList(()), inout=InOut())
    content = write_om(replace(om, models=(bare,)))
    assert load_executor_from_model_data(there.process, ModelData(content)) == (None, FAILED)
    assert there.texts()[0] == "Error, please use executable om model"


def test_a_model_that_cannot_be_lowered_says_why() -> None:
    there, graph = calls(), add_of(-1)
    graph.node("add").op.engine = "NoSuchEngine"
    assert load_executor_from_model_data(there.process, ModelData(om_bytes(graph))) == (None, FAILED)
    *_, why, last = there.texts()
    assert "NoSuchEngine" in why
    assert last == "Failed to lowering to execute graph"


def test_the_option_chooses_the_executor_of_main_alone() -> None:
    there = calls()
    option = ExecutorOption(ExecutorKind.TOPOLOGICAL)
    executor, status = load_executor_from_model_data(there.process, ModelData(om_bytes(add_of(-1))), option=option)
    assert (executor is not None, status) == (True, 0)
    chosen = [item.event for item in there.recorder.heard if type(item.event).__name__ == "ExecutorSelected"]
    assert [str(event.executor) for event in chosen] == [  # type: ignore[attr-defined]
        "sequential-executor",
        "general-topo-executor",
        "sequential-executor",
    ]


def test_only_all_three_allocators_let_a_model_roll_back_to_one_stream() -> None:
    there = calls()
    device = there.process.device
    graph = GraphBuilder("two")
    x = graph.data("x", (-1,))
    halves = graph.op("Relu", x, name="first"), graph.op("Neg", x, name="second", stream=1)
    model = graph.output(graph.op("Add", *halves, name="sum")).build()
    assign_events(model)
    device.available_streams = lambda: 1  # type: ignore[method-assign]
    data = ModelData(om_bytes(model, stream_num=2))
    streams = StreamAllocator(device)
    whole = LoadAllocators(streams, EventAllocator(device), NotifyAllocator(device))
    for allocators, count in ((LoadAllocators(streams), 2), (None, 2), (whole, 1)):
        executor, status = load_executor_from_model_data(there.process, data, allocators=allocators)
        assert executor is not None
        assert (status, executor.get_model_desc().reusable_stream_num) == (0, count)


def test_a_session_is_handed_on_to_load() -> None:
    there, session = calls(), RtSession(7)
    data = ModelData(om_bytes(add_of(-1)))
    executor, status = load_executor_from_model_data_with_rt_session(there.process, data, session)
    assert executor is not None
    assert (status, executor.load(ModelExecuteArg(), ModelLoadArg(session)), executor.unload()) == (0, 0, 0)


def test_each_stream_gets_an_executor_of_one_lowering() -> None:
    there = calls()
    streams, status = load_stream_executor_from_model_data(there.process, ModelData(om_bytes(add_of(-1))))
    assert streams is not None
    handles = [there.process.device.create_stream().handle for _ in range(2)]
    first, second = (streams.get_or_create_loaded(handle, ModelExecuteArg(handle)) for handle in handles)
    assert (status, first is second, first is None) == (0, False, False)
    assert [streams.erase(handle) for handle in handles] == [0, 0]


def test_external_allocators_call_the_users_functions() -> None:
    there = calls()
    given: list[int] = []
    back: list[object] = []

    def alloc(owner: str, size: int) -> tuple[str, int, int] | None:
        given.append(size)
        return None if size > 1000 else (owner, 0x1000, size)

    desc = AllocatorDesc("mine", alloc, lambda _owner, block: back.append(block), lambda block: int(block[1]))
    allocator = create_external_allocator(there.process, desc)
    block = allocator.malloc(64)
    assert block is not None
    assert (block.addr, block.size) == (0x1000, 64)
    allocator.share(block)
    allocator.free(block)
    assert back == []
    allocator.free(block)
    assert back == [("mine", 0x1000, 64)]
    assert (allocator.malloc(2000), given) == (None, [64, 2000])


def test_advice_without_a_callback_for_it_is_an_ordinary_request() -> None:
    there = calls()
    desc = AllocatorDesc(None, lambda _owner, size: size, lambda _owner, _block: None, lambda _block: 0x2000)
    block = create_external_allocator(there.process, desc).malloc_advise(8, 0x9000)
    assert block is not None
    assert block.addr == 0x2000


def test_a_model_runs_on_an_external_allocator() -> None:
    there = calls()
    device = there.process.device
    alive: set[int] = set()

    def alloc(_owner: object, size: int) -> int | None:
        address = device.malloc(max(size, 1))
        if address is not None:
            alive.add(address)
        return address

    def free(_owner: object, address: int) -> None:
        alive.discard(address)
        device.free(address)

    allocator = create_external_allocator(there.process, AllocatorDesc(None, alloc, free, int))
    executor, _ = load_executor_from_model_data(there.process, ModelData(om_bytes(add_of(-1))))
    assert executor is not None
    stream = device.create_stream().handle
    arg = ModelExecuteArg(stream, {Placement.DEVICE_HBM: allocator})
    inputs = [to_tensor(device, ones(2, 3)), to_tensor(device, 2 * ones(2, 3))]
    output = Tensor(StorageShape(Shape(), Shape()))
    assert (executor.load(arg), executor.execute(arg, inputs, [output]), device.synchronize(stream)) == (0, 0, 0)
    assert to_array(device, output).tolist() == [[3.0] * 3] * 2
    assert output.data is not None
    assert output.data.addr in alive
    free_output(output)
    assert executor.unload() == 0
    executor.close()
    assert alive == set()
    allocator.close()
