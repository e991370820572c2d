"""Rows of streams, events and notifies (spec/kerneltrace.md 3.3)."""

from getrace.events import streams as s
from getrace.plog.row import GE, Row, row

_EVENT = "event.cc"

ROWS: tuple[Row, ...] = (
    row(
        s.EventSent,
        "Sent event {event_id:i} RT event {handle:p} from stream {stream:i}",
        "Sent event 0 RT event 0xaaab10b5f000 from stream 1",
        place=(_EVENT, 94, "CallRtsSendEvent"),
    ),
    row(
        s.RecycleSent,
        "[MEM]Send memory recycling event from stream {stream:i}, event id {event_id:i}, address {addr:p}",
        "[MEM]Send memory recycling event from stream 0, event id 2, address 0x12c041200000",
        place=(_EVENT, 104, "SendEvent"),
    ),
    row(
        s.MigrationSent,
        "[MEM]Send memory migration event from stream {stream:i}, event id {event_id:i}, address {addr:p}",
        "[MEM]Send memory migration event from stream 1, event id 3, address 0x12c041200000",
        place=(_EVENT, 115, "SendEvent"),
    ),
    row(
        s.EventWaited,
        "Waited event {event_id:i} RT event {handle:p} at stream {stream:i}",
        "Waited event 0 RT event 0xaaab10b5f000 at stream 0",
        place=(_EVENT, 129, "CallRtsWaitEvent"),
    ),
    row(
        s.RecycleWaited,
        "[MEM]Wait memory recycling event at stream {stream:i}, event id {event_id:i}, address {addr:p}",
        "[MEM]Wait memory recycling event at stream 1, event id 2, address 0x12c041200000",
        place=(_EVENT, 152, "WaitEvent"),
    ),
    row(
        s.MigrationWaited,
        "[MEM]Wait memory migration event at stream {stream:i}, event id {event_id:i}, address {addr:p}",
        "[MEM]Wait memory migration event at stream 0, event id 3, address 0x12c041200000",
        place=(_EVENT, 160, "WaitEvent"),
    ),
    row(
        s.NotifyGot,
        "Get rts notify {handle:p} from logical notify {notify:i}",
        "Get rts notify 0xaaab10b5f800 from logical notify 0",
        place=("notify.cc", 47, "CreateNotifies"),
    ),
    row(
        s.StreamSplit,
        "Get rts stream {handle:p} from logical stream {stream:i}, rts stream_id: {rt_stream:i}",
        "Get rts stream 0xaaab10b5a4c0 from logical stream 0, rts stream_id: 3",
        "Get rts stream (nil) from logical stream 0, rts stream_id: -1",
        place=("stream.cc", 55, "SplitRtStreams"),
    ),
    row(
        s.StreamSplit,  # newer releases write rts_stream_id (spec 8)
        "Get rts stream {handle:p} from logical stream {stream:i}, rts_stream_id: {rt_stream:i}",
        "Get rts stream 0xaaab10b5a4c0 from logical stream 0, rts_stream_id: 3",
        place=("stream.cc", 55, "SplitRtStreams"),
    ),
    row(
        s.StreamCollected,
        "Collect rt2 stream, get rts stream {handle:p} from logical stream {stream:i}, rts_stream_id: {rt_stream:i}",
        "Collect rt2 stream, get rts stream 0xaaab10b5a4c0 from logical stream 0, rts_stream_id: 3",
        scope=GE,
        place=("model_v2_executor.cc", 120, "OccupyStreamResource"),
    ),
)
