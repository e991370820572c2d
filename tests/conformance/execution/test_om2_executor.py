"""OM2: scenario MX-41 of spec/execution.md 8.2 and the paragraphs of 3.5."""

from pathlib import Path

import pytest
from api_calls import add_of, calls, dataset, om2_bytes, ones, opened, zip_of

from runtime.api.gert.model_data import ModelData
from runtime.api.om2.executor import load_om2_executor_from_data
from runtime.api.om2.model_data import is_om2_model, is_om2_model_file, load_om2_data_from_file

INVALID_PARAM = 100000


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
