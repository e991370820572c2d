"""What ACL prints of a refused call, as a table of texts with their places.

GE's layers below say why a call failed; these say which call of the caller it was.

Source: GE ``api/acl/acl_model/model/`` (spec/execution.md 3.4).
"""

from dataclasses import dataclass
from typing import Final

from getrace.events import Level
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess, Report

MODULE: Final = "ASCENDCL"


@dataclass(frozen=True, slots=True)
class AclText:
    """One text of ACL with fields in braces; ``code`` is what the call returns, ``report`` the error manager's code."""

    file: str
    line: int
    func: str
    text: str
    code: int = AclError.INVALID_PARAM
    report: str = ""


_MODEL, _ROUTER = "model.cpp", "acl_model_router.cpp"
_EXECUTE, _LOAD = "RuntimeV2ModelExecute", "RuntimeV2ModelLoadCommon"

NULL: Final = AclText(_ROUTER, 0, "Check", "[Check][{name}]param must not be null.", report="EH0002")
NOT_POSITIVE: Final = AclText(_ROUTER, 0, "Check", "[Check][{name}]param must be positive.", report="EH0001")
NULL_PATH: Final = AclText(_ROUTER, 40, "AclIsOm2ModelByPath", "modelPath is nullptr")
NOT_TOLD_BY_PATH: Final = AclText(
    _ROUTER, 45, "AclIsOm2ModelByPath", "failed to check if model is OM2 by path, path={path}, result={result}"
)
NULL_DATA: Final = AclText(_ROUTER, 54, "AclIsOm2ModelByData", "modelData is nullptr or modelSize is 0")
NOT_TOLD_BY_DATA: Final = AclText(
    _ROUTER, 59, "AclIsOm2ModelByData", "failed to check if model is OM2 by data, size={size}, result={result}"
)
NO_CONFIG: Final = AclText(_ROUTER, 68, "AclIsOm2ModelByConfig", "config handle is null")
NOT_LOADED_BY_GE: Final = AclText(
    _MODEL,
    207,
    _LOAD,
    "[Model][FromData]call gert::LoadExecutorFromModelDataWithMem load model from data failed, ge result[{result}]",
)
NOT_LOADED: Final = AclText(_MODEL, 223, _LOAD, "[Model][FromData]call load executorV2 failed, ge result[{result}]")
NOT_SYNCHRONIZED: Final = AclText(_MODEL, 229, _LOAD, "synchronize stream failed, runtime result = {result}")
STATIC_NOT_LOADED: Final = AclText(
    _MODEL, 183, "ModelLoadFromFileWithMem", "[Model][FromData]load model from data failed, ge result[{result}]"
)
FILE_NOT_LOADED: Final = AclText(
    _MODEL, 174, "ModelLoadFromFileWithMem", "[Model][FromFile]load model from file[{path}] failed, ge result[{result}]"
)
OM2_NOT_LOADED: Final = AclText(
    "model_om2.cpp",
    263,
    "Om2ModelLoadFromFile",
    "[Model][FromData]call gert::LoadOm2ExecutorFromData failed, ge result[{result}]",
)
OM2_SIZES: Final = {
    "Input": AclText(
        "model_om2.cpp",
        152,
        "Om2GetModelTensorDesc",
        "Input blobs size mismatch. actual_size[{have}], expected_size[{want}]",
    ),
    "Output": AclText(
        "model_om2.cpp",
        157,
        "Om2GetModelTensorDesc",
        "Output blobs size mismatch. actual_size[{have}], expected_size[{want}]",
    ),
}
UNKNOWN_ID: Final = AclText(
    _MODEL,
    575,
    _EXECUTE,
    "input modelId[{model_id}] is invalid, please make sure model has been loaed",
    AclError.GE_EXEC_MODEL_ID_INVALID,
)
TOO_FEW: Final = AclText(_MODEL, 583, _EXECUTE, "input blobs {have} cannot be smaller than input desc size {want}")
NO_INPUT: Final = AclText(
    _MODEL, 594, _EXECUTE, "[Check][dataBuffer]input dataset blobs is null, modelId[{model_id}], index[{index}]"
)
OUT_OF_RANGE: Final = AclText(_MODEL, 620, _EXECUTE, "[Check][InputShape] Input [{index}] shape out of shape range.")
NO_OUTPUT: Final = AclText(
    _MODEL, 628, _EXECUTE, "[Check][Databuffer]output dataset blobs is null, modelId[{model_id}], index[{index}]"
)
NOT_EXECUTED: Final = AclText(
    _MODEL, 669, _EXECUTE, "[Exec][Model]Execute model failed, ge result[{result}], modelId[{model_id}]"
)
NO_DESC: Final = AclText(
    _MODEL, 903, "GetDesc", "input modelId[{model_id}] is invalid while get executor", AclError.GE_EXEC_MODEL_ID_INVALID
)
NOT_UNLOADABLE: Final = AclText(
    _MODEL, 1119, "aclmdlUnload", "modelId[{model_id}] is invalid", AclError.GE_EXEC_MODEL_ID_INVALID
)
NOT_UNLOADED: Final = AclText(
    _MODEL,
    1123,
    "aclmdlUnload",
    "[Unload][Model]failed to unload model, modelId is {model_id}, errorCode is {result}",
)
STATIC_ONLY: Final = AclText(
    _MODEL,
    0,
    "aclmdlGetCurOutputDims",
    "This api does not support dynamic model, please check.",
    AclError.API_NOT_SUPPORT,
)
NOT_A_BUNDLE: Final = AclText(_MODEL, 331, "GetBundleInfo", "this is not bundle om, please check")
BUNDLE_NOT_READ: Final = AclText(
    _MODEL,
    1278,
    "aclmdlBundleLoadFromFile",
    "[Load][Model]failed to load model from file by runtime2.0, ge errorCode is {result}",
)
INNER_OF_BUNDLE: Final = AclText(
    _MODEL,
    0,
    "aclmdlUnload",
    "this modeId {model_id} is bundle inner modelId, please ues aclmdlBundleUnload api instead",
)
NO_MODEL: Final = AclText(_ROUTER, 96, "AclIsOm2ModelByConfig", "config handle has no valid model path or data")
WITHOUT_GRAPH: Final = AclText(
    _MODEL, 387, "aclmdlLoadWithConfig", "ACL_MDL_WITHOUT_GRAPH_INT32 cannot be configured when model is dynamic"
)
NO_QUEUES: Final = AclText(
    _MODEL, 64, "CheckQueueNum", "[Check][QNum]inputQNum[{inputs}] or outputQNum[{outputs}] is invalid, can't be zero"
)
QUEUES: Final = AclText(_MODEL, 0, "aclmdlLoadWithConfig", "[Load][WithQ]the simulated device has no queues")
BAD_TIMEOUT: Final = AclText(
    _MODEL, 0, "aclmdlExecuteV2", "[Check][Timeout]timeouts of stream and event {timeouts} must not be less than -1"
)


def refuse(process: GeProcess, text: AclText, code: int | None = None, **values: object) -> int:
    """Print a text with its values and give the code to return, ``code`` if it is given."""
    said = text.text.format(**values)
    process.say((text.file, text.line, text.func), said, Level.ERROR, module=MODULE)
    if text.report:
        process.reports.append(Report(text.report, said))
    return text.code if code is None else code
