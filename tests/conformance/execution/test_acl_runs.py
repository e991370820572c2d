"""ACL: models that run: scenarios MX-38 to MX-40 of spec/execution.md 8.2 and the paragraphs of 3.4."""

from pathlib import Path

import numpy as np
import pytest
from api_calls import add_of, calls, dataset, om2_bytes, om_bytes, ones, opened
from simulated_runs import Array

from runtime.api.acl.acl import Acl
from runtime.api.acl.dataset import Dataset
from runtime.api.acl.models import ExecConfig
from runtime.api.error_codes import acl_status
from runtime.values import DType, Placement, Shape

INVALID_PARAM = 100000
FAILURE = 500002
ROUTES = [("Rt2Model", om_bytes(add_of(-1))), ("SunkModel", om_bytes(add_of(3))), ("Om2Model", om2_bytes(add_of(3)))]


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
