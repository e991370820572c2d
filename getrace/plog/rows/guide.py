"""Rows of the sample lines that the seed articles and a test fixture print: read, never written.

Their texts are illustrations, so a remark behind an arrow and elided addresses belong to them.
"""

from getrace.events import launch as a
from getrace.events import memory as m
from getrace.events import shapes as s
from getrace.events import streams as t
from getrace.events import tiling as g
from getrace.plog.row import GUIDE, Row, row

ROWS: tuple[Row, ...] = (
    row(
        s.ShapeResult,
        " infer shape result: {dims:dims}",
        " infer shape result: [2, 1024]",
        dialects=GUIDE,
    ),
    row(
        m.CopyAlloc,
        " [MEM]Alloc memory at stream {stream:i}, block {block:elided}, address {addr:elided}, size {size:u}",
        " [MEM]Alloc memory at stream 0, block 0x7f..., address 0x7f..., size 8192",
        dialects=GUIDE,
    ),
    row(m.GuideAlloc, " [MEM]Alloc memory... size {size:u}", " [MEM]Alloc memory... size 4096", dialects=GUIDE),
    row(
        a.GuideLaunch,
        " kernel launched, task_id={task:u}<?, stream_id={rt_stream:u}?>",
        " kernel launched, task_id=123, stream_id=0",
        " kernel launched, task_id=123",
        dialects=GUIDE,
    ),
    row(
        m.MemFree,
        " [MEM]Free memory at stream {stream:i}, address {addr:elided}",
        " [MEM]Free memory at stream 0, address 0x7f...",
        dialects=GUIDE,
    ),
    row(
        g.GuideTiling,
        " tiling key: {key:u}, workspace: {workspace:u}",
        " tiling key: 12345, workspace: 4096",
        dialects=GUIDE,
    ),
    row(
        t.StreamSplit,
        " Get rts stream {handle:p} from logical stream {stream:i}, rts_stream_id: {rt_stream:i}",
        " Get rts stream 0x111 from logical stream 0, rts_stream_id: 41",
        dialects=GUIDE,
    ),
    row(
        t.NotifyGot,
        " Get rts notify {handle:p} from logical notify {notify:i}",
        " Get rts notify 0x333 from logical notify 2",
        dialects=GUIDE,
    ),
    row(
        t.EventSent,
        " Sent event {event_id:i} RT event {handle:p} from stream {stream:i}",
        " Sent event 3 RT event 0x444 from stream 4",
        dialects=GUIDE,
    ),
    row(
        t.EventWaited,
        " Waited event {event_id:i} RT event {handle:p} at stream {stream:i}",
        " Waited event 3 RT event 0x444 at stream 5",
        dialects=GUIDE,
    ),
)
