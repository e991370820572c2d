"""What a session keeps for hybrid models, and what stands before them: variables, files, guards (execution.md 3.7)."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hybrid_runs import Held, held, started
from session_models import error_texts, line_texts, variable_reader, variable_writer
from simulated_runs import Recorder, add_model, floats

from getrace.dumps.snapshot import AttrValue
from getrace.events import Level
from runtime.api.hybrid.executor import Executed, HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.values import Tensor

PARAM_INVALID, FAILED = 1343225857, 4294967295


def test_models_of_a_session_share_variables() -> None:
    _, process = started()
    session = RtSession(7)
    values: list[float] = []
    for model, inputs in (
        (variable_writer(), [floats(1, 2, 3, 4), floats(1, 1, 1, 1)]),
        (variable_reader(), [floats(0, 0, 0, 10)]),
    ):
        hybrid = HybridModelRtV2Executor(process, HybridModel(model), session=session)
        assert hybrid.init() == 0
        assert hybrid.load() == 0
        result, values = Held(Recorder(), process, hybrid).run(*inputs)
        assert result == Executed(0)
    assert values == [2.0, 3.0, 4.0, 15.0]


def test_the_session_of_a_model_is_an_attribute_of_it() -> None:
    graph = add_model()
    graph.attrs["session_id"] = 12
    assert held(graph).hybrid.session.session_id == 12
    other = held()
    assert other.hybrid.session.session_id == 0
    assert "No session attr named session_id on model add, use default session id 0" in line_texts(other.recorder)


def file_model() -> ComputeGraph:
    """y = x + what stands in a file."""
    graph = GraphBuilder("filed")
    attrs: dict[str, AttrValue] = {"location": "w.bin", "offset": 8}
    weight = graph.op("FileConstant", name="w", engine=GE_LOCAL, outputs=[nd_desc((2,))], attrs=attrs)
    return graph.output(graph.op("AddExample", graph.data("x", (2,)), weight, name="add")).build()


def test_a_constant_in_a_file_is_read_once_per_session(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(floats(0, 0, 5, 6).tobytes())
    recorder, process = started(level=Level.DEBUG)
    session = RtSession(3)
    for _ in range(2):
        model = HybridModel(file_model(), weight_dir=str(tmp_path))
        hybrid = HybridModelRtV2Executor(process, model, session=session)
        assert hybrid.init() == 0
        assert hybrid.load() == 0
        assert Held(recorder, process, hybrid).run(floats(1, 1)) == (Executed(0), [6.0, 7.0])
        hybrid.unload()
        hybrid.close()
    texts = line_texts(recorder)
    assert sum(text.startswith("Load file constant [w]") for text in texts) == 1
    assert texts.count("File constant [w] has been loaded, no need to reload.") == 1
    session.destroy_resources(process.machine)
    assert process.close() == 0


@pytest.mark.parametrize(("content", "text"), [(None, "Failed to get file path"), (b"short", "is more than")])
def test_a_file_that_is_missing_or_too_short_is_named(tmp_path: Path, content: bytes | None, text: str) -> None:
    if content is not None:
        (tmp_path / "w.bin").write_bytes(content)
    recorder, process = started()
    hybrid = HybridModelRtV2Executor(process, HybridModel(file_model(), weight_dir=str(tmp_path)))
    assert hybrid.init() == FAILED
    assert text in error_texts(recorder)[1]


def test_a_guard_may_refuse_the_inputs() -> None:
    graph = add_model()
    graph.attrs["_guard_check_so_data"] = b"\x7fELF"

    def guard(inputs: Sequence[Tensor]) -> str:
        return "" if len(inputs[0].shape.origin) == 1 else "x1 must be a vector " + "!" * 2000

    held_ = held(HybridModel(graph, 5, guard=guard))
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
    assert held_.run(floats(1).reshape(1, 1), floats(2))[0].status == FAILED
    said = error_texts(held_.recorder)[0]
    assert said.startswith("Guard check failed, reason: x1 must be a vector !!!")
    assert len(said) == len("Guard check failed, reason: ") + 1023


def test_a_guard_that_is_only_a_library_is_said_to_be_unchecked() -> None:
    graph = add_model()
    graph.attrs["_guard_check_so_data"] = b"\x7fELF"
    held_ = held(graph)
    assert "The guard of model add is a compiled library and is not checked" in line_texts(held_.recorder)
    assert held_.run(floats(1), floats(2)) == (Executed(0), [3.0])
