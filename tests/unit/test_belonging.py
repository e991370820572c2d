"""The graph and the model of a failure, from the lines of its thread and from dumps."""

from compute_snapshots import graph, node, snapshot
from handmade import HandLog
from handmade_failures import ERROR, failure_of, ge

from getrace.analysis.failure.belonging import Belonging, belongs_to
from getrace.analysis.resolution import node_of
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.text import LogLine


def failing(log: HandLog, *, tid: int = 1432) -> None:
    log.say(ModelStart(), tid=tid)
    log.say(KernelEnd(), "InferShape_act_3", level=ERROR, tid=tid)


def told(log: HandLog) -> Belonging:
    return belongs_to(log.store(), failure_of(log), None)


def test_the_nearest_line_by_which_the_thread_enters_a_graph_names_it() -> None:
    log = HandLog()
    log.say(ge("Start execute hybrid model v2 executor of graph early_1"))
    log.say(ModelStart())
    log.say(ModelEnd())
    log.say(ge("Getting the input data, model_id:5"))
    line = log.say(ge("Start execute hybrid model v2 executor of graph mine_2, stream: 0x10"))
    failing(log)
    found = told(log)
    assert (found.graph, found.model, found.unknown) == ("mine_2", "5", "")
    assert found.graph_at is not None
    assert found.graph_at.line == line


def test_a_model_of_a_run_before_is_not_taken() -> None:
    log = HandLog()
    log.say(ge("Getting the input data, model_id:4"))
    log.say(ge("Start execute hybrid model v2 executor of graph early_1"))
    log.say(ge("Start execute hybrid model v2 executor of graph mine_2"))
    failing(log)
    found = told(log)
    assert (found.graph, found.model) == ("mine_2", None)
    assert found.unknown == "no line of the failing thread names its model"


def test_a_line_behind_the_failure_may_name_the_model() -> None:
    log = HandLog()
    failing(log)
    line = log.say(ge("failed to execute graph. model_id = 7", module="GE"), level=ERROR)
    found = told(log)
    assert found.model == "7"
    assert found.model_at is not None
    assert found.model_at.line == line


def test_other_threads_and_the_numbers_of_runtime_are_not_taken() -> None:
    log = HandLog()
    log.say(ge("Start execute hybrid model v2 executor of graph other"), tid=7)
    log.say(LogLine("RUNTIME", "model.cc", 1, "Bind", "ModelBindStream: model_id=36, stream_id=1"))
    failing(log)
    found = told(log)
    assert (found.graph, found.model) == (None, None)
    assert found.switch.startswith("ASCEND_GLOBAL_LOG_LEVEL=1")


def test_the_dump_that_has_the_operator_names_its_graph_before_any_line_does() -> None:
    log = HandLog()
    log.say(ge("Start execute hybrid model v2 executor of graph mine_2"))
    failing(log)
    store = log.store()
    inner = graph("inner", [node("act", "Relu", [(4,)], [(4,)])])
    store.graphs.append(snapshot(graph("root", []), inner, source="dump.txt"))
    found = belongs_to(store, failure_of(log), node_of(store, "act"))
    assert (found.graph, found.graph_file) == ("inner", "dump.txt")
