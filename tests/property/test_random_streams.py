"""Random models on up to four streams: legal at each stage, and every event is sent once and waited for once."""

from hypothesis import given, settings
from hypothesis import strategies as st
from random_models import AICPU_CC, AICPU_TF, random_model, spread

from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.verify import violations
from runtime.kernels.payloads import EventInfo
from runtime.lowering.pipeline import lower_model
from runtime.lowering.stages import BEFORE_OPTIMIZE

ENGINES = (AI_CORE, AICPU_TF, AICPU_CC)

SENDS = {"SendEvents", "LastSendEvents"}
WAITS = {"WaitEvents", "LastWaitEvents"}


def events(root: ExecuteGraph, types: set[str]) -> list[tuple[int, int]]:
    """The (event, stream) pairs of the kernels of some types."""
    found: list[tuple[int, int]] = []
    for node in root.all_nodes():
        if node.type in types:
            stream, numbers = node.inputs[0], node.inputs[1]
            assert stream is not None
            assert numbers is not None
            assert stream[0].type == "SplitRtStreams"
            found += [(number, stream[1]) for number in _values(numbers[0])]
    return sorted(found)


def _values(const: FastNode) -> tuple[int, ...]:
    value = const.attrs["value"]
    assert isinstance(value, tuple)
    return value


def infos(root: ExecuteGraph) -> list[EventInfo]:
    """What the events of the model are made from."""
    (made,) = [node for node in root.all_nodes() if node.type == "CreateGertEvents"]
    source = made.inputs[0]
    assert source is not None
    value = source[0].attrs["value"]
    assert isinstance(value, tuple)
    return list(value)


@given(seed=st.integers(0, 1 << 20), operators=st.integers(2, 40), streams=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_each_event_is_sent_on_one_stream_and_waited_for_on_the_other(seed: int, operators: int, streams: int) -> None:
    model = random_model(seed, operators, ENGINES)
    spread(model.graph, streams, seed)
    seen: list[str] = []

    def look(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
        seen.append(stage)
        if not isinstance(graph, ExecuteGraph) or graph.parent_node is not None:
            return
        assert violations(graph) == []
        if stage == BEFORE_OPTIMIZE:
            several = any(node.op.stream_id for node in model.graph.nodes)
            pairs = list(enumerate(infos(graph))) if several else []
            assert events(graph, SENDS) == [(number, info.source_stream) for number, info in pairs]
            assert events(graph, WAITS) == [(number, info.target_stream) for number, info in pairs]

    lower_model(model.graph, see=look)
    assert BEFORE_OPTIMIZE in seen
