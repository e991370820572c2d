"""Acl: everything a program gets from ACL, as the Python binding arranges it: ``acl.mdl``, ``acl.rt``, data buffers."""

from runtime.api.acl.bundles import Bundles
from runtime.api.acl.dataset import AclTensorDesc, DataBuffer
from runtime.api.acl.load_config import LoadConfig, load_with_config
from runtime.api.acl.models import Models
from runtime.api.acl.query_size import Sizes, query_size
from runtime.api.acl.resources import AclResources
from runtime.api.acl.rt import Runtime
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.values import DType, Format, Placement, Shape


class Acl:
    """``aclInit`` for a process."""

    def __init__(self, process: GeProcess) -> None:
        self.process = process
        self._resources = AclResources(process)
        self.mdl = Models(process, self._resources)
        self.bundles = Bundles(process, self._resources, self.mdl)
        self.rt = Runtime(process, self._resources)

    def load_with_config(self, config: LoadConfig | None) -> tuple[int, int]:
        """``aclmdlLoadWithConfig``: gives the model's id and a status."""
        return load_with_config(self.process, self.mdl, config)

    def query_size(self, path: str | None) -> Sizes:
        """``aclmdlQuerySize``: the memory that loading a file with the caller's memory wants."""
        return query_size(self.process, path)

    @staticmethod
    def create_data_buffer(data: int, size: int) -> DataBuffer:
        """``aclCreateDataBuffer``; address 0 asks the runtime to allocate, for an output of a dynamic model."""
        return DataBuffer(data, size)

    @staticmethod
    def destroy_data_buffer(buffer: DataBuffer) -> int:
        """``aclDestroyDataBuffer``: memory that the runtime allocated goes back, other memory stays."""
        buffer.destroy()
        return AclError.NONE

    @staticmethod
    def create_tensor_desc(
        dtype: DType, dims: tuple[int, ...], fmt: Format = Format.ND, placement: Placement = Placement.DEVICE_HBM
    ) -> AclTensorDesc:
        """``aclCreateTensorDesc``."""
        return AclTensorDesc(dtype, Shape(dims), fmt, placement)

    def get_recent_err_msg(self) -> str:
        """``aclGetRecentErrMsg``: the messages of the error manager since the last call; reading empties it."""
        reports = self.process.reports
        text = "\n".join(f"{report.code}: {report.text}" for report in reports)
        reports.clear()
        return text

    def finalize(self) -> int:
        """``aclFinalize``: end what is still loaded."""
        self._resources.close()
        return AclError.NONE
