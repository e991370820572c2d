"""``aclmdl…``: load, execute and unload models, with the names of ACL's Python binding (``acl.mdl``).

A call gives a status, 0 for success, or a value and a status, as there.

Source: seeds 002 ``4.1``, ``4.3``; spec/execution.md 3.4.
"""

from runtime.api.acl.dataset import AclTensorDesc, DataBuffer, Dataset
from runtime.api.acl.loaded import Call, LoadedModel
from runtime.api.acl.log import (
    BAD_TIMEOUT,
    FILE_NOT_LOADED,
    INNER_OF_BUNDLE,
    NO_DESC,
    NOT_TOLD_BY_DATA,
    NOT_TOLD_BY_PATH,
    NOT_UNLOADABLE,
    NOT_UNLOADED,
    NULL,
    NULL_DATA,
    NULL_PATH,
    STATIC_ONLY,
    UNKNOWN_ID,
    refuse,
)
from runtime.api.acl.model_desc import AclModelDesc
from runtime.api.acl.resources import AclResources
from runtime.api.acl.routes import Request, load, route_of
from runtime.api.error_codes import AclError, acl_status
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import ModelData, load_data_from_file
from runtime.api.om2.model_data import is_om2_model, is_om2_model_file, load_om2_data_from_file
from runtime.api.static_model import NO_MEMORY
from runtime.values import Shape

FOREVER = -1
"""A timeout without an end, in milliseconds."""


class ExecConfig:
    """``aclmdlExecConfigHandle``: how long ``aclmdlExecuteV2`` waits for the stream and for events, -1 for ever."""

    def __init__(self, stream_timeout: int = FOREVER, event_timeout: int = FOREVER) -> None:
        self.stream_timeout = stream_timeout
        self.event_timeout = event_timeout


class Models:
    """``acl.mdl``: the models of one process."""

    def __init__(self, process: GeProcess, resources: AclResources) -> None:
        self._process = process
        self._resources = resources

    def load_from_file(self, path: str | None) -> tuple[int, int]:
        """``aclmdlLoadFromFile``: gives the model's id and a status. OM2, RT2 or v1 by what the file says."""
        return self.load_from_file_with_mem(path)

    def load_from_file_with_mem(
        self, path: str | None, work: tuple[int, int] = NO_MEMORY, weight: tuple[int, int] = NO_MEMORY
    ) -> tuple[int, int]:
        """``aclmdlLoadFromFileWithMem``: the same, with (address, bytes) that the caller keeps for the model."""
        if path is None:
            return 0, refuse(self._process, NULL_PATH)
        status, is_om2 = is_om2_model_file(self._process, path)
        if status:
            refuse(self._process, NOT_TOLD_BY_PATH, path=path, result=int(status))
            return 0, acl_status(status)
        read = load_om2_data_from_file if is_om2 else load_data_from_file
        data, status = read(self._process, path)
        if data is None:
            return 0, refuse(self._process, FILE_NOT_LOADED, acl_status(status), path=path, result=int(status))
        return self._load(data, work, weight, is_om2=is_om2)

    def load_from_mem(self, model: bytes | None) -> tuple[int, int]:
        """``aclmdlLoadFromMem``: a model that the caller has read."""
        return self.load_from_mem_with_mem(model)

    def load_from_mem_with_mem(
        self, model: bytes | None, work: tuple[int, int] = NO_MEMORY, weight: tuple[int, int] = NO_MEMORY
    ) -> tuple[int, int]:
        """``aclmdlLoadFromMemWithMem``: the same, with (address, bytes) that the caller keeps for the model."""
        if not model:
            return 0, refuse(self._process, NULL_DATA)
        status, is_om2 = is_om2_model(self._process, model)
        if status:
            refuse(self._process, NOT_TOLD_BY_DATA, size=len(model), result=int(status))
            return 0, acl_status(status)
        return self._load(ModelData(model), work, weight, is_om2=is_om2)

    def _load(
        self, data: ModelData, work: tuple[int, int], weight: tuple[int, int], *, is_om2: bool
    ) -> tuple[int, int]:
        route, status = route_of(self._process, data, is_om2=is_om2)
        if status:
            return 0, acl_status(status)
        model, status = load(self._process, self._resources, route, Request(data, work, weight))
        if model is None:
            return 0, status
        ids = self._process.model_ids if model.is_dynamic else self._process.static_model_ids
        model_id = next(ids)
        self._resources.models[model_id] = model
        return model_id, AclError.NONE

    def execute(self, model_id: int, inputs: Dataset | None, outputs: Dataset | None) -> int:
        """``aclmdlExecute``: run and wait."""
        return self._execute(model_id, inputs, outputs, None)

    def execute_v2(
        self, model_id: int, inputs: Dataset | None, outputs: Dataset | None, _stream: int, handle: ExecConfig | None
    ) -> int:
        """``aclmdlExecuteV2``: run and wait. RT2 runs on a stream of its own, whatever stream is named."""
        if handle is None:
            return refuse(self._process, NULL, name="handle")
        if min(handle.stream_timeout, handle.event_timeout) < FOREVER:
            timeouts = handle.stream_timeout, handle.event_timeout
            return refuse(self._process, BAD_TIMEOUT, timeouts=timeouts)
        return self._execute(model_id, inputs, outputs, None)

    def execute_async(self, model_id: int, inputs: Dataset | None, outputs: Dataset | None, stream: int) -> int:
        """``aclmdlExecuteAsync``: put a run on a stream; the outputs are there when it has been waited for."""
        return self._execute(model_id, inputs, outputs, stream)

    def execute_async_v2(
        self, model_id: int, inputs: Dataset | None, outputs: Dataset | None, stream: int, handle: ExecConfig | None
    ) -> int:
        """``aclmdlExecuteAsyncV2``: the same with a configuration, which must be there."""
        if handle is None:
            return refuse(self._process, NULL, name="handle")
        return self._execute(model_id, inputs, outputs, stream)

    def _execute(self, model_id: int, inputs: Dataset | None, outputs: Dataset | None, stream: int | None) -> int:
        for name, dataset in (("input", inputs), ("output", outputs)):
            if dataset is None:
                return refuse(self._process, NULL, name=name)
        assert inputs is not None
        assert outputs is not None
        model = self._resources.models.get(model_id)
        if model is None:
            return refuse(self._process, UNKNOWN_ID, model_id=model_id)
        return model.execute(Call(model_id, inputs, outputs, stream))

    def unload(self, model_id: int) -> int:
        """``aclmdlUnload``: end a model; its id is none any more."""
        if self._resources.is_inside_bundle(model_id):
            return refuse(self._process, INNER_OF_BUNDLE, model_id=model_id)
        model = self._resources.models.pop(model_id, None)
        if model is None:
            return refuse(self._process, NOT_UNLOADABLE, model_id=model_id)
        if status := model.unload():
            return refuse(self._process, NOT_UNLOADED, acl_status(status), model_id=model_id, result=int(status))
        return AclError.NONE

    def get_desc(self, model_id: int) -> tuple[AclModelDesc | None, int]:
        """``aclmdlGetDesc``: the inputs and outputs of a loaded model."""
        model = self._resources.models.get(model_id)
        if model is None:
            return None, refuse(self._process, NO_DESC, model_id=model_id)
        return AclModelDesc(model.desc), AclError.NONE

    def get_desc_from_file(self, path: str | None) -> tuple[AclModelDesc | None, int]:
        """``aclmdlGetDescFromFile``: the inputs and outputs of a model that need not be loaded."""
        model_id, status = self.load_from_file(path)
        if status:
            return None, status
        desc, status = self.get_desc(model_id)
        return desc, status or self.unload(model_id)

    def get_cur_output_dims(self, model_id: int, index: int) -> tuple[Shape, int]:
        """``aclmdlGetCurOutputDims``: the dimensions of an output of a static model."""
        model = self._resources.models.get(model_id)
        if model is None:
            return Shape(), refuse(self._process, NO_DESC, model_id=model_id)
        if model.is_dynamic:
            return Shape(), refuse(self._process, STATIC_ONLY)
        if not 0 <= index < len(model.desc.outputs):
            return Shape(), AclError.INVALID_PARAM
        return model.desc.outputs[index].desc.shape, AclError.NONE

    def loaded(self, model_id: int) -> LoadedModel | None:
        """Give a model by its id, None for an id that is none (``AclResourceManager::GetExecutor``)."""
        return self._resources.models.get(model_id)

    @staticmethod
    def create_dataset() -> Dataset:
        """``aclmdlCreateDataset``."""
        return Dataset()

    def add_dataset_buffer(self, dataset: Dataset | None, buffer: DataBuffer | None) -> int:
        """``aclmdlAddDatasetBuffer``."""
        if dataset is None or buffer is None:
            return refuse(self._process, NULL, name="dataset" if dataset is None else "dataBuffer")
        dataset.add(buffer)
        return AclError.NONE

    def set_dataset_tensor_desc(self, dataset: Dataset, desc: AclTensorDesc, index: int) -> int:
        """``aclmdlSetDatasetTensorDesc``: say type and shape of a tensor, as a dynamic model needs of its inputs."""
        if not 0 <= index < len(dataset.blobs):
            return AclError.INVALID_PARAM
        dataset.blobs[index].desc = desc
        return AclError.NONE

    @staticmethod
    def get_dataset_tensor_desc(dataset: Dataset, index: int) -> AclTensorDesc | None:
        """``aclmdlGetDatasetTensorDesc``: type and shape of a tensor; of an output, what the last run gave."""
        return dataset.blobs[index].desc if 0 <= index < len(dataset.blobs) else None

    @staticmethod
    def get_dataset_num_buffers(dataset: Dataset) -> int:
        """``aclmdlGetDatasetNumBuffers``."""
        return len(dataset.blobs)

    @staticmethod
    def get_dataset_buffer(dataset: Dataset, index: int) -> DataBuffer | None:
        """``aclmdlGetDatasetBuffer``."""
        return dataset.blobs[index].buffer if 0 <= index < len(dataset.blobs) else None

    @staticmethod
    def destroy_dataset(dataset: Dataset) -> int:
        """``aclmdlDestroyDataset``: buffers stay, as in ACL."""
        dataset.blobs.clear()
        return AclError.NONE
