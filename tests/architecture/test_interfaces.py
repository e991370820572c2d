"""The table of interfaces in runtime/README.md: each has a name here, and each name is there."""

import importlib
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "runtime" / "README.md"
HEADING = "### Interfaces of GE and ACL"

NAMED_BY_THE_GUIDE = """
aclmdlLoadFromFile aclmdlLoadFromMem aclmdlLoadFromFileWithMem aclmdlLoadFromMemWithMem aclmdlExecuteV2
aclmdlExecuteAsyncV2 aclmdlUnload aclmdlGetDesc aclmdlGetDescFromFile
LoadOm2ExecutorFromData LoadOm2DataFromFile Om2ModelExecutor::Load Om2ModelExecutor::Run Om2ModelExecutor::RunAsync
LoadExecutorFromFile LoadExecutorFromModelData LoadExecutorFromModelDataWithRtSession LoadStreamExecutorFromModelData
IsDynamicModel LoadDataFromFile
ModelV2Executor::Load ModelV2Executor::Execute ModelV2Executor::ExecuteSync ModelV2Executor::UnLoad
ModelV2Executor::GetModelDesc ModelV2Executor::GetIterationNum ModelV2Executor::GetSubscribers
StreamExecutor::GetOrCreateLoaded AllocatorFactory::Create CreateExternalAllocator GeSession::RunGraph
ModelExecuteArg.stream ModelExecuteArg.external_allocator ModelExecuteArg.external_stream_allocator
ModelExecuteArg.external_event_allocator ModelExecuteArg.external_notify_allocator
ModelLoadArg.rt_session ModelLoadArg.outer_weight_mem
"""
"""What the guide to GE's runtime lists in its sections 4.1 to 4.5."""


def rows() -> list[tuple[str, list[str]]]:
    """The interface and the Python names of each row."""
    text = README.read_text(encoding="utf-8").split(HEADING, 1)[1].split("\n### ", 1)[0]
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [(left.strip(), re.findall(r"`([\w.]+)`", right)) for left, right in cells[2:]]


def resolve(name: str) -> object:
    """Import the longest part of a name that is a module, and look the rest up."""
    parts = f"runtime.{name}".split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


def test_no_row_is_empty() -> None:
    assert [left for left, names in rows() if not left or not names] == []


def test_every_interface_of_the_guide_has_a_row() -> None:
    listed = " ".join(left for left, _ in rows())
    missing = [name for name in NAMED_BY_THE_GUIDE.split() if not re.search(rf"`{re.escape(name)}\b", listed)]
    assert missing == []


@pytest.mark.parametrize("name", sorted({name for _, names in rows() for name in names}))
def test_a_name_of_the_table_is_there(name: str) -> None:
    assert resolve(name) is not None


def test_a_name_that_is_not_there_is_noticed() -> None:
    with pytest.raises(AttributeError):
        resolve("api.gert.loaders.load_nothing")
