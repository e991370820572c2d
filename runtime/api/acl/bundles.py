"""``aclmdlBundle…``: a file that holds several models, loaded and ended together.

Source: spec/execution.md 3.4, spec/formats.md 1.6.
"""

from dataclasses import dataclass

from getrace.dumps.om_file import parse_om
from getrace.dumps.om_header import BUNDLE, SERVER
from getrace.dumps.om_writer import write_om
from getrace.errors import InputError
from runtime.api.acl.log import BUNDLE_NOT_READ, NOT_A_BUNDLE, NOT_UNLOADABLE, NULL_PATH, refuse
from runtime.api.acl.models import Models
from runtime.api.acl.resources import AclResources
from runtime.api.error_codes import AclError, acl_status
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import file_head, load_data_from_file


@dataclass(frozen=True, slots=True)
class Bundles:
    """``aclmdlBundle…`` of one process. A bundle is named by an id of its own; its models have ids as others have."""

    process: GeProcess
    resources: AclResources
    models: Models

    def load_from_file(self, path: str | None) -> tuple[int, int]:
        """``aclmdlBundleLoadFromFile``: load all models of a file; gives the bundle's id and a status."""
        if path is None:
            return 0, refuse(self.process, NULL_PATH)
        data, status = load_data_from_file(self.process, path)
        if data is None:
            return 0, refuse(self.process, BUNDLE_NOT_READ, acl_status(status), result=int(status))
        return self.load_from_mem(data.model_data)

    def load_from_mem(self, model: bytes) -> tuple[int, int]:
        """``aclmdlBundleLoadFromMem``: the same with what the caller has read. All models are loaded, or none."""
        header, status = file_head(self.process, model)
        if header is None:
            return 0, acl_status(status)
        if header.version < SERVER or header.kind != BUNDLE:
            return 0, refuse(self.process, NOT_A_BUNDLE)
        try:
            om = parse_om(memoryview(model), "bundle")
        except InputError:
            return 0, refuse(self.process, BUNDLE_NOT_READ, AclError.GE_FAILURE, result=int(AclError.GE_FAILURE))
        ids: list[int] = []
        for inner in om.submodels:
            assert inner.om is not None  # a bundle's files are in it
            model_id, status = self.models.load_from_mem(write_om(inner.om))
            if status:
                self._end(ids)
                return 0, status
            ids.append(model_id)
        bundle_id = next(self.process.static_model_ids)
        self.resources.bundles[bundle_id] = tuple(ids)
        return bundle_id, AclError.NONE

    def get_model_num(self, bundle_id: int) -> tuple[int, int]:
        """``aclmdlBundleGetModelNum``."""
        ids = self.resources.bundles.get(bundle_id)
        return (0, refuse(self.process, NOT_UNLOADABLE, model_id=bundle_id)) if ids is None else (len(ids), 0)

    def get_model_id(self, bundle_id: int, index: int) -> tuple[int, int]:
        """``aclmdlBundleGetModelId``: the id by which a model of the bundle is executed."""
        ids = self.resources.bundles.get(bundle_id)
        if ids is None:
            return 0, refuse(self.process, NOT_UNLOADABLE, model_id=bundle_id)
        return (ids[index], 0) if 0 <= index < len(ids) else (0, AclError.INVALID_PARAM)

    def unload(self, bundle_id: int) -> int:
        """``aclmdlBundleUnload``: end all models of a bundle; gives the first status that is not 0."""
        ids = self.resources.bundles.pop(bundle_id, None)
        if ids is None:
            return refuse(self.process, NOT_UNLOADABLE, model_id=bundle_id)
        return self._end(ids)

    def _end(self, ids: list[int] | tuple[int, ...]) -> int:
        statuses = [self.models.unload(model_id) for model_id in ids]
        return next((status for status in statuses if status), AclError.NONE)
