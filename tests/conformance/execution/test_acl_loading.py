"""ACL: how models are found, routed and loaded: scenario MX-48 of spec/execution.md 8.2 and the paragraphs of 3.4."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from api_calls import add_of, calls, dataset, om_bytes, ones, opened
from simulated_runs import Array

from getrace.dumps.om_file import OmFile, SubModel, parse_om
from getrace.dumps.om_header import BUNDLE, OmHeader
from getrace.dumps.om_writer import write_om
from runtime.api.acl.acl import Acl
from runtime.api.acl.dataset import Dataset
from runtime.api.acl.load_config import LoadConfig, LoadType
from runtime.api.acl.routes import is_runtime_v2_enabled
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.values import DType, Shape

INVALID_PARAM = 100000
FAILURE = 500002


def output_of(acl: Acl, outputs: Dataset, like: Array) -> Array:
    buffer = acl.mdl.get_dataset_buffer(outputs, 0)
    assert buffer is not None
    return acl.rt.copy_out(buffer.data, like)


def bundle_bytes(*graphs: ComputeGraph) -> bytes:
    """A file that holds several models."""
    header = OmHeader(kind=BUNDLE, name=bytes(32), user_info=bytes(32), platform_version=bytes(20))
    models = tuple(SubModel(graph.name, "", parse_om(memoryview(om_bytes(graph)), graph.name)) for graph in graphs)
    return write_om(OmFile(replace(header, model_num=len(models)), (), models, variables=bytes(8)))


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
