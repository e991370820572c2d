"""Family B, streams: the types that one stream needs (spec/lowering.md 11.B)."""

from kernel_runs import Workbench

from getrace.events.streams import StreamSplit
from runtime.device.tasks import Task


def test_each_logical_stream_gets_its_rt_stream() -> None:
    bench = Workbench()
    context = bench.context("SplitRtStreams", [bench.stream, 0], 2, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [bench.stream, 0]
    own = bench.machine.device.stream(bench.stream).rt_id
    assert bench.recorder.events() == [StreamSplit(bench.stream, 0, own), StreamSplit(0, 1, 0)]


def test_a_synchronised_stream_has_done_its_work() -> None:
    bench = Workbench()
    done: list[int] = []
    device = bench.machine.device
    device.launch(device.stream(bench.stream), Task("later", lambda: done.append(1), 1000))
    assert done == []
    assert bench.run(bench.context("SyncStream", bench.stream, outputs=0)) == 0
    assert done == [1]
