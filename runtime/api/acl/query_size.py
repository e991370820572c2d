"""``aclmdlQuerySize``: how much memory ``aclmdlLoadFromFileWithMem`` wants from its caller.

Source: spec/execution.md 3.4; GE ``GetMemAndWeightSize``.
"""

from typing import NamedTuple

from getrace.errors import ModelError
from runtime.api.error_codes import AclError, acl_status
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import is_dynamic_model, load_data_from_file
from runtime.api.gert.root_model import load_root_model
from runtime.frontend.om import launch_order
from runtime.kernels.task_sink.plan import plan_model


class Sizes(NamedTuple):
    """Bytes of work memory and of weights, and a status; both sizes are 0 when it is not 0."""

    work: int
    weight: int
    status: int = AclError.NONE


def query_size(process: GeProcess, path: str | None) -> Sizes:
    """``aclmdlQuerySize``: a static model by its plan; a dynamic one has weights alone, it allocates while it runs."""
    data, status = load_data_from_file(process, path)
    if data is None:
        return Sizes(0, 0, acl_status(status))
    root, status = load_root_model(process, data)
    if root is None:
        return Sizes(0, 0, acl_status(status))
    if is_dynamic_model(process, data.model_data).is_dynamic:
        return Sizes(0, len(root.om.models[0].weights_data))
    try:
        plan = plan_model(root.graph, process.machine.ops, launch_order(root.om))
    except ModelError:
        return Sizes(0, 0, AclError.GE_FAILURE)
    return Sizes(plan.work_bytes, len(plan.weights))
