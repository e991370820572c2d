"""ACL's model calls: scenarios MX-38 to MX-41 and MX-48 of spec/execution.md 8.2 and the paragraphs of 3.4 and 3.5."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from api_calls import Calls, add_of, calls, dataset, om2_bytes, om_bytes, ones, zip_of
from simulated_runs import Array

from getrace.dumps.om_file import OmFile, SubModel, parse_om
from getrace.dumps.om_header import BUNDLE, OmHeader
from getrace.dumps.om_writer import write_om
from runtime.api.acl.acl import Acl
from runtime.api.acl.dataset import Dataset
from runtime.api.acl.load_config import LoadConfig, LoadType
from runtime.api.acl.models import ExecConfig
from runtime.api.acl.routes import is_runtime_v2_enabled
from runtime.api.error_codes import acl_status
from runtime.api.gert.model_data import ModelData
from runtime.api.om2.executor import load_om2_executor_from_data
from runtime.api.om2.model_data import is_om2_model, is_om2_model_file, load_om2_data_from_file
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.values import DType, Placement, Shape

INVALID_PARAM = 100000
FAILURE = 500002
ROUTES = [("Rt2Model", om_bytes(add_of(-1))), ("SunkModel", om_bytes(add_of(3))), ("Om2Model", om2_bytes(add_of(3)))]


def opened(model: bytes, environment: Mapping[str, str] | None = None) -> tuple[Calls, Acl, int]:
    """A process with one model loaded."""
    there = calls(environment)
    acl = Acl(there.process)
    model_id, status = acl.mdl.load_from_mem(model)
    assert status == 0, there.texts()
    return there, acl, model_id


def output_of(acl: Acl, outputs: Dataset, like: Array) -> Array:
    buffer = acl.mdl.get_dataset_buffer(outputs, 0)
    assert buffer is not None
    return acl.rt.copy_out(buffer.data, like)


@pytest.mark.parametrize(("kind", "model"), ROUTES)
def test_each_kind_of_model_goes_its_own_way_and_computes(kind: str, model: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(model)
    there = calls()
    acl = Acl(there.process)
    model_id, status = acl.mdl.load_from_file(str(path))
    assert (status, type(acl.mdl.loaded(model_id)).__name__) == (0, kind)
    x1, x2 = ones(2, 3), 5 * ones(2, 3)
    outputs = dataset(acl, np.zeros((2, 32), np.float32), described=False)
    assert acl.mdl.execute(model_id, dataset(acl, x1, x2), outputs) == 0
    assert output_of(acl, outputs, x1).tolist() == [[6.0, 6.0, 6.0]] * 2
    told = acl.mdl.get_dataset_tensor_desc(outputs, 0)
    assert told is not None
    assert (told.dims, told.dtype) == (Shape((2, 3)), DType.FLOAT)
    assert (acl.mdl.unload(model_id), acl.mdl.loaded(model_id)) == (0, None)


@pytest.mark.parametrize(("kind", "model"), ROUTES)
def test_an_asynchronous_run_is_there_when_its_stream_was_waited_for(kind: str, model: bytes) -> None:
    _, acl, model_id = opened(model)
    stream, _ = acl.rt.create_stream()
    x = ones(2, 3)
    outputs = dataset(acl, np.zeros((2, 32), np.float32), described=False)
    inputs = dataset(acl, x, x)
    assert acl.mdl.execute_async(model_id, inputs, outputs, stream) == 0
    assert output_of(acl, outputs, x).max() == 0.0, kind
    assert acl.rt.synchronize_stream(stream) == 0
    assert output_of(acl, outputs, x).tolist() == [[2.0, 2.0, 2.0]] * 2
    assert (acl.mdl.unload(model_id), acl.rt.destroy_stream(stream)) == (0, 0)


def test_MX_38_an_id_that_is_none() -> None:
    there, acl, _ = opened(om_bytes(add_of(-1)))
    empty = acl.mdl.create_dataset()
    assert acl.mdl.execute(77, empty, empty) == 145003
    text = "input modelId[77] is invalid, please make sure model has been loaed"
    assert there.errors() == [("model.cpp", 575, text, None)]
    assert acl.mdl.unload(77) == 145003
    assert there.texts() == ["modelId[77] is invalid"]
    assert acl.mdl.get_desc(77) == (None, 145003)


def test_MX_39_a_shape_outside_of_the_range() -> None:
    there, acl, model_id = opened(om_bytes(add_of(-1)))
    x = ones(2, 3)
    inputs = dataset(acl, x, ones(3, 3))
    assert acl.mdl.execute(model_id, inputs, dataset(acl, x)) == INVALID_PARAM
    assert there.errors() == [("model.cpp", 620, "[Check][InputShape] Input [1] shape out of shape range.", None)]


def test_MX_40_an_output_that_the_runtime_allocates() -> None:
    there, acl, model_id = opened(om_bytes(add_of(-1)))
    outputs = acl.mdl.create_dataset()
    buffer = acl.create_data_buffer(0, 0)
    acl.mdl.add_dataset_buffer(outputs, buffer)
    x = ones(2, 4)
    assert acl.mdl.execute(model_id, dataset(acl, x, x), outputs) == 0
    assert buffer.data != 0
    assert buffer.size >= 32
    assert acl.rt.copy_out(buffer.data, x).tolist() == [[2.0] * 4] * 2
    acl.destroy_data_buffer(buffer)
    assert (buffer.data, acl.mdl.unload(model_id), there.errors()) == (0, 0, [])


def test_a_static_model_does_not_allocate_outputs() -> None:
    there, acl, model_id = opened(om_bytes(add_of(3)))
    outputs = acl.mdl.create_dataset()
    acl.mdl.add_dataset_buffer(outputs, acl.create_data_buffer(0, 0))
    x = ones(2, 3)
    assert acl.mdl.execute(model_id, dataset(acl, x, x), outputs) == INVALID_PARAM
    assert there.texts() == [f"[Check][Databuffer]output dataset blobs is null, modelId[{model_id}], index[0]"]


def test_MX_41_an_om2_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    there = calls()
    assert is_om2_model(there.process, b"PK\x03\x04 and more") == (0, True)
    assert is_om2_model(there.process, b"IMOD") == (0, False)
    assert is_om2_model(there.process, None) == (145000, False)
    assert is_om2_model(there.process, b"PK\x03") == (145006, False)
    assert there.texts() == [
        "[Check][Param] Invalid om2 model. Model data cannot be nullptr.",
        "[Check][Param] Invalid om2 model. Model data size 3 must be greater than or equal to 4.",
    ]
    path = tmp_path / "m.om2"
    path.write_bytes(om2_bytes(add_of(3)))
    assert is_om2_model_file(there.process, str(path)) == (0, True)
    assert is_om2_model_file(there.process, "gone.om2") == (145002, False)
    assert there.errors()[0][2:] == ("[Check][Param]Model file path gone.om2 is invalid", 145002)


@pytest.mark.parametrize(
    ("value", "model", "single_op"),
    [
        ("0", False, False),
        ("2", True, False),
        ("1", True, True),
        ("", True, True),
        (None, True, True),
        ("0x", False, False),
    ],
)
def test_MX_48_the_switch_of_rt2(value: str | None, model: bool, single_op: bool) -> None:
    environment = {} if value is None else {"ENABLE_RUNTIME_V2": value}
    assert is_runtime_v2_enabled(environment) is model
    assert is_runtime_v2_enabled(environment, single_op=True) is single_op


def test_MX_48_without_rt2_a_dynamic_model_goes_to_v1_which_cannot_plan_it() -> None:
    there = calls({"ENABLE_RUNTIME_V2": "0"})
    assert Acl(there.process).mdl.load_from_mem(om_bytes(add_of(-1))) == (0, FAILURE)
    assert there.texts() == [
        "output 0 of node x1 has the shape [2,-1], a static model knows all its shapes (run it as a dynamic model)",
        "[Model][FromData]load model from data failed, ge result[4294967295]",
    ]
    assert Acl(there.process).mdl.load_from_mem(om_bytes(add_of(3)))[1] == 0


def test_ids_and_sessions_of_rt2_are_numbered_from_the_middle() -> None:
    there, acl, first = opened(om_bytes(add_of(-1)))
    second, _ = acl.mdl.load_from_mem(om_bytes(add_of(-1)))
    static, _ = acl.mdl.load_from_mem(om_bytes(add_of(3)))
    assert (first, second, static) == (0x80000000, 0x80000001, 1)
    assert next(there.process.session_ids) == 0x8000000000000002


@pytest.mark.parametrize("model", [b"", None])
def test_no_model_in_memory(model: bytes | None) -> None:
    there = calls()
    assert Acl(there.process).mdl.load_from_mem(model) == (0, INVALID_PARAM)
    assert there.texts() == ["modelData is nullptr or modelSize is 0"]


def test_no_file() -> None:
    there = calls()
    acl = Acl(there.process)
    assert acl.mdl.load_from_file(None) == (0, INVALID_PARAM)
    assert there.texts() == ["modelPath is nullptr"]
    assert acl.mdl.load_from_file("gone.om") == (0, 145002)
    assert there.texts()[-1] == "failed to check if model is OM2 by path, path=gone.om, result=145002"
    assert acl.get_recent_err_msg() == "E13000: [Check][Param]Model file path gone.om is invalid"
    assert acl.get_recent_err_msg() == ""


def test_what_is_no_model_is_refused_by_the_layers_in_turn() -> None:
    there = calls()
    assert Acl(there.process).mdl.load_from_mem(bytes(300)) == (0, 145006)
    assert there.texts() == [
        "model data, offset 0: Invalid om file. It does not begin as one.",
        "Failed to load root model from model data",
        "[Model][FromData]load model from data failed, ge result[145006]",
    ]


def test_tensors_that_are_missing() -> None:
    there, acl, model_id = opened(om_bytes(add_of(-1)))
    x = ones(2, 3)
    assert acl.mdl.execute(model_id, dataset(acl, x), dataset(acl, x)) == INVALID_PARAM
    assert there.texts() == ["input blobs 1 cannot be smaller than input desc size 2"]
    inputs = dataset(acl, x, x)
    inputs.blobs[1].buffer = None
    assert acl.mdl.execute(model_id, inputs, dataset(acl, x)) == INVALID_PARAM
    assert there.texts() == [f"[Check][dataBuffer]input dataset blobs is null, modelId[{model_id}], index[1]"]
    assert acl.mdl.execute(model_id, None, dataset(acl, x)) == INVALID_PARAM
    assert there.texts() == ["[Check][input]param must not be null."]
    assert acl.mdl.execute(model_id, dataset(acl, x, x), dataset(acl)) == FAILURE
    assert there.texts() == [
        "Failed to execute, outputs num 0, expect num 1",
        f"[Exec][Model]Execute model failed, ge result[1343225857], modelId[{model_id}]",
    ]


def test_execute_v2_wants_a_handle_and_ignores_the_stream() -> None:
    there, acl, model_id = opened(om_bytes(add_of(-1)))
    x = ones(2, 3)
    inputs, outputs = dataset(acl, x, x), dataset(acl, np.zeros((2, 32), np.float32), described=False)
    assert acl.mdl.execute_v2(model_id, inputs, outputs, 0, None) == INVALID_PARAM
    assert acl.mdl.execute_v2(model_id, inputs, outputs, 0, ExecConfig(-2)) == INVALID_PARAM
    assert acl.mdl.execute_async_v2(model_id, inputs, outputs, 0, None) == INVALID_PARAM
    there.errors()
    stream, _ = acl.rt.create_stream()
    assert acl.mdl.execute_v2(model_id, inputs, outputs, stream, ExecConfig()) == 0
    assert there.process.device.stream(stream).last_task is None
    assert output_of(acl, outputs, x).tolist() == [[2.0] * 3] * 2


def test_a_static_model_takes_memory_of_the_caller() -> None:
    there = calls()
    acl = Acl(there.process)
    graph = om_bytes(add_of(3))
    work, _ = acl.rt.malloc(4096)
    weight, _ = acl.rt.malloc(4096)
    used = there.process.device.hbm.used
    model_id, status = acl.mdl.load_from_mem_with_mem(graph, (work, 4096), (weight, 4096))
    assert (status, there.process.device.hbm.used) == (0, used)
    assert acl.mdl.unload(model_id) == 0
    assert acl.mdl.load_from_mem_with_mem(graph, (work, 0), (weight, 4096)) == (0, FAILURE)
    assert there.texts()[0] == "[Check][Param] the work memory of model adding has 0 bytes, it needs 512"


def test_descriptions() -> None:
    there, acl, dynamic = opened(om_bytes(add_of(-1)))
    static, _ = acl.mdl.load_from_mem(om_bytes(add_of(3)))
    for model_id, dims, size in ((dynamic, (2, -1), 0), (static, (2, 3), 24)):
        desc, status = acl.mdl.get_desc(model_id)
        assert desc is not None
        assert (status, desc.get_num_inputs(), desc.get_num_outputs()) == (0, 2, 1)
        assert (desc.get_input_dims(1), desc.get_input_size_by_index(0)) == (dims, size)
        assert (desc.get_input_name_by_index(1), desc.get_input_index_by_name("x2")) == ("x2", 1)
        assert (desc.get_output_name_by_index(0), desc.get_output_data_type(0)) == ("output_0_add_0", DType.FLOAT)
    assert acl.mdl.get_cur_output_dims(static, 0) == (Shape((2, 3)), 0)
    assert acl.mdl.get_cur_output_dims(dynamic, 0) == (Shape(), 200001)
    assert there.texts() == ["This api does not support dynamic model, please check."]


def test_a_description_needs_no_loaded_model(tmp_path: Path) -> None:
    path, there = tmp_path / "m.om", calls()
    path.write_bytes(om_bytes(add_of(3)))
    desc, status = Acl(there.process).mdl.get_desc_from_file(str(path))
    assert desc is not None
    assert (status, desc.get_output_dims(0), there.process.device.hbm.used) == (0, (2, 3), 0)


def test_the_default_allocators_of_a_stream_live_as_long_as_it_does() -> None:
    there, acl, model_id = opened(om_bytes(add_of(-1)))
    stream, _ = acl.rt.create_stream()
    x = ones(2, 3)
    before = len(there.process.machine.caching)
    for _ in range(2):
        outputs = dataset(acl, np.zeros((2, 32), np.float32), described=False)
        assert acl.mdl.execute_async(model_id, dataset(acl, x, x), outputs, stream) == 0
        assert len(there.process.machine.caching) == before + 2
    acl.rt.synchronize_stream(stream)
    assert acl.mdl.unload(model_id) == 0
    assert acl.rt.destroy_stream(stream) == 0
    assert there.process.machine.caching == []
    assert acl.rt.destroy_stream(stream) == 107003


def test_statuses_of_ge_become_those_of_acl() -> None:
    given = [0, 145003, 545999, 546000, 107003, 507015, 1343225857, 4294967295]
    assert [acl_status(status) for status in given] == [0, 145003, 545999, 500002, 107003, 507015, 500002, 500002]


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        (b"PK\x03\x04 broken", 145000, "[OM2] Failed to open OM2 ZIP archive for deserialization: "),
        (zip_of(), 145000, "[OM2] ZIP archive is empty"),
        (zip_of(m__manifest_dot_json={}), 4294967295, "[OM2] model_meta.json not found in ZIP archive."),
        (om2_bytes(add_of(3), library=False), 4294967295, "[OM2] Compiled .so not found in ZIP archive."),
        (
            zip_of(m__data__model_0__model_meta_dot_json={}, m__data__model_0__runtime__libm_dot_so=0),
            4294967295,
            "[OM2] only the compiled library m/data/model_0/runtime/libm.so is inside, which is never loaded here",
        ),
        (
            zip_of(
                m__data__model_0__model_meta_dot_json={},
                m__data__model_0__runtime__libm_dot_so=0,
                m__data__model_0__debug__ge_visual_0_dot_json={},
                m__data__constants__model_0_constants_config_dot_json={"consts": {"a": {"type": "REMOTE"}}},
            ),
            4294967295,
            "[OM2][Check] Unsupported const type, type=REMOTE",
        ),
        (
            zip_of(
                m__data__model_0__model_meta_dot_json={},
                m__data__model_0__runtime__libm_dot_so=0,
                m__data__model_0__debug__ge_visual_0_dot_json={},
            ),
            4294967295,
            "Constructing Om2ModelExecutor failed.",
        ),
    ],
)
def test_an_om2_that_cannot_be_run_says_why(content: bytes, status: int, text: str) -> None:
    there = calls()
    assert load_om2_executor_from_data(there.process, ModelData(content)) == (None, status)
    assert there.texts()[-1].startswith(text)


def test_an_om2_is_run_by_its_own_executor(tmp_path: Path) -> None:
    path, there = tmp_path / "m.om2", calls()
    path.write_bytes(om2_bytes(add_of(3)))
    data, _ = load_om2_data_from_file(there.process, str(path))
    assert data is not None
    executor, status = load_om2_executor_from_data(there.process, data)
    assert executor is not None
    assert (status, executor.is_loaded, executor.step_id) == (0, True, 1)
    assert [io.name for io in executor.desc.inputs] == ["x1", "x2"]
    assert executor.run([], []) == 1343225857
    assert executor.step_id == 1
    assert (executor.unload(), executor.run_async(0, [], [])) == (0, 1343225857)
    assert there.texts()[-1] == "[OM2] the model is not loaded"


def test_an_om2_wants_exactly_its_tensors() -> None:
    there, acl, model_id = opened(om2_bytes(add_of(3)))
    x = ones(2, 3)
    assert acl.mdl.execute(model_id, dataset(acl, x), dataset(acl, x)) == INVALID_PARAM
    assert acl.mdl.execute(model_id, dataset(acl, x, x), dataset(acl, x, x)) == INVALID_PARAM
    assert there.texts() == [
        "Input blobs size mismatch. actual_size[1], expected_size[2]",
        "Output blobs size mismatch. actual_size[2], expected_size[1]",
    ]


def test_a_dataset_says_what_it_holds() -> None:
    acl = Acl(calls().process)
    made = dataset(acl, ones(2), ones(3), described=False)
    assert acl.mdl.get_dataset_num_buffers(made) == 2
    desc = acl.create_tensor_desc(DType.FLOAT, (3,), placement=Placement.HOST)
    assert (acl.mdl.set_dataset_tensor_desc(made, desc, 1), acl.mdl.set_dataset_tensor_desc(made, desc, 2)) == (
        0,
        100000,
    )
    assert acl.mdl.get_dataset_tensor_desc(made, 1) is desc
    assert acl.mdl.get_dataset_buffer(made, 5) is None
    assert acl.mdl.destroy_dataset(made) == 0
    assert acl.mdl.get_dataset_num_buffers(made) == 0


def bundle_bytes(*graphs: ComputeGraph) -> bytes:
    """A file that holds several models."""
    header = OmHeader(kind=BUNDLE, name=bytes(32), user_info=bytes(32), platform_version=bytes(20))
    models = tuple(SubModel(graph.name, "", parse_om(memoryview(om_bytes(graph)), graph.name)) for graph in graphs)
    return write_om(OmFile(replace(header, model_num=len(models)), (), models, variables=bytes(8)))


def test_a_bundle_is_loaded_and_ended_as_a_whole(tmp_path: Path) -> None:
    path, there = tmp_path / "bundle.om", calls()
    path.write_bytes(bundle_bytes(add_of(-1, "first"), add_of(3, "second")))
    acl = Acl(there.process)
    bundle, status = acl.bundles.load_from_file(str(path))
    assert (status, acl.bundles.get_model_num(bundle)) == (0, (2, 0))
    ids = [acl.bundles.get_model_id(bundle, index)[0] for index in range(2)]
    assert [type(acl.mdl.loaded(model_id)).__name__ for model_id in ids] == ["Rt2Model", "SunkModel"]
    x = ones(2, 3)
    for model_id in ids:
        outputs = dataset(acl, np.zeros((2, 32), np.float32), described=False)
        assert acl.mdl.execute(model_id, dataset(acl, x, x), outputs) == 0
        assert output_of(acl, outputs, x).tolist() == [[2.0] * 3] * 2
    assert acl.mdl.unload(ids[0]) == INVALID_PARAM
    assert there.texts() == [f"this modeId {ids[0]} is bundle inner modelId, please ues aclmdlBundleUnload api instead"]
    assert (acl.bundles.unload(bundle), acl.bundles.unload(bundle)) == (0, 145003)
    assert [acl.mdl.loaded(model_id) for model_id in ids] == [None, None]
    assert acl.bundles.get_model_num(bundle) == (0, 145003)


def test_a_bundle_and_a_plain_model_do_not_take_each_others_calls() -> None:
    there = calls()
    acl = Acl(there.process)
    assert acl.bundles.load_from_mem(om_bytes(add_of(-1))) == (0, INVALID_PARAM)
    assert there.texts() == ["this is not bundle om, please check"]
    assert acl.mdl.load_from_mem(bundle_bytes(add_of(-1, "a"), add_of(-1, "b")))[1] == FAILURE
    assert there.texts()[0] == "The bundle model does not support loading through non-bundle interfaces."
    assert acl.bundles.load_from_file("gone.om") == (0, 145002)
    assert there.texts()[-1] == ("[Load][Model]failed to load model from file by runtime2.0, ge errorCode is 145002")
    assert acl.bundles.load_from_mem(bytes(300)) == (0, 145006)


@pytest.mark.parametrize("kind", list(LoadType))
def test_a_configuration_chooses_the_way_of_loading(kind: LoadType, tmp_path: Path) -> None:
    path, there = tmp_path / "m.om", calls()
    path.write_bytes(om_bytes(add_of(3)))
    acl = Acl(there.process)
    model_id, status = acl.load_with_config(LoadConfig(kind, str(path), path.read_bytes(), queues=(1, 1)))
    if kind in (LoadType.FROM_FILE_WITH_Q, LoadType.FROM_MEM_WITH_Q):
        assert (status, there.texts()) == (200001, ["[Load][WithQ]the simulated device has no queues"])
    else:
        assert (status, acl.mdl.unload(model_id)) == (0, 0)


def test_a_configuration_that_says_too_little_or_too_much() -> None:
    there = calls()
    acl = Acl(there.process)
    assert acl.load_with_config(None) == (0, INVALID_PARAM)
    assert acl.load_with_config(LoadConfig(LoadType.FROM_FILE)) == (0, INVALID_PARAM)
    assert acl.load_with_config(LoadConfig(LoadType.FROM_FILE_WITH_Q, "m.om", queues=(0, 2))) == (0, INVALID_PARAM)
    dynamic = LoadConfig(LoadType.FROM_MEM, model=om_bytes(add_of(-1)), without_graph=True)
    assert acl.load_with_config(dynamic) == (0, INVALID_PARAM)
    assert there.texts() == [
        "config handle is null",
        "config handle has no valid model path or data",
        "[Check][QNum]inputQNum[0] or outputQNum[2] is invalid, can't be zero",
        "ACL_MDL_WITHOUT_GRAPH_INT32 cannot be configured when model is dynamic",
    ]
    assert acl.load_with_config(replace(dynamic, model=om_bytes(add_of(3))))[1] == 0


def test_the_memory_that_a_model_asks_for_is_enough_for_it(tmp_path: Path) -> None:
    there = calls()
    acl = Acl(there.process)
    static, dynamic = tmp_path / "static.om", tmp_path / "dynamic.om"
    for path, columns in ((static, 3), (dynamic, -1)):
        graph = GraphBuilder("weighted")
        c = graph.const("c", (2, 3), ones(2, 3).tobytes())
        x = graph.op("Neg", graph.data("x", (2, columns)))
        path.write_bytes(om_bytes(graph.output(graph.op("Add", x, c)).build()))
    assert acl.query_size(str(static)) == (1024, 512, 0)
    assert acl.query_size(str(dynamic)) == (0, 536, 0)
    assert acl.query_size("gone.om") == (0, 0, 145002)
    areas = [(acl.rt.malloc(size)[0], size) for size in (1024, 512)]
    model_id, status = acl.mdl.load_from_file_with_mem(str(static), *areas)
    assert (status, acl.mdl.unload(model_id)) == (0, 0)
