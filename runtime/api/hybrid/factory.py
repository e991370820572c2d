"""RtV2ExecutorFactory: which executor a hybrid model gets (spec/execution.md 3.7)."""

from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import STAGE_ATTR, HybridModel
from runtime.api.hybrid.pipeline import create_pipeline
from runtime.api.hybrid.simple import RtV2Executor, create_simple
from runtime.executors.rt_session import RtSession


def has_stages(model: HybridModel) -> bool:
    """Whether a call in the root graph is a stage."""
    return any(STAGE_ATTR in node.op.attrs for node in model.graph.of_type(["PartitionedCall"]))


def create_executor(process: GeProcess, model: HybridModel, session: RtSession) -> RtV2Executor:
    """``RtV2ExecutorFactory::Create``. Raises ModelError for a model that cannot be lowered, built or cut."""
    if has_stages(model):
        return create_pipeline(process, model, session)
    return create_simple(process, model, session)
