"""Properties of opening: packed, cut, damaged, cached or followed logs are read, or refused in a sentence."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest
from archive_builder import PACKERS, tar_of, zip_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from getrace.errors import InputError
from getrace.ingest.cache import Cache
from getrace.ingest.follow import FollowStore
from getrace.ingest.limits import Limits
from getrace.plog.file_store import FileStore
from getrace.plog.scan import numpy_scanner
from getrace.plog.source import Bytes, open_plain
from getrace.replay import open_store
from getrace.store.columns import COLUMNS
from getrace.store.selection import Selection

MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LIMITS = Limits(always=1 << 20, ratio=50, longest_line=1 << 16, members=50, header=1 << 16)


def _line(micros: int, pid: int, tid: int, text: str) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{micros // 1000:03d}.{micros % 1000:03d} [a.cc:1]{tid} F:{text}"


_ALLOC = "[MEM]Alloc memory at stream 0, block 0x1, address 0x2, size 512, tensor size 8, index 0"
_TEXTS = st.sampled_from(
    [
        "x",
        f"[KernelTrace][AllocMemHbm_add1_3]{_ALLOC}",
        "[KernelTrace][InferShape_mul_9]",
        "[KernelTrace] Start model tracing.",
        "[KernelTrace] End model tracing.",
        "two\n  lines",
    ]
)
_RECORDS = st.builds(_line, st.integers(0, 999_999), st.integers(1, 3), st.integers(5, 6), _TEXTS)
_LOGS = st.lists(st.one_of(_RECORDS, st.sampled_from(["", "no record", "\tat"])), min_size=1, max_size=30).map(
    lambda lines: ("\n".join([*lines, _line(5, 1, 5, "last")]) + "\n").encode()
)


def _everything(store: FileStore) -> object:
    columns = {name: store.column(name).tolist() for name in COLUMNS if name not in ("module", "kernel")}
    names = [(store.names.text(int(store.column("module")[row])), store.kernel(row)) for row in range(store.rows)]
    return columns, names, [store.text(row) for row in range(store.rows)], store.pieces


def _opened(data: bytes, name: str = "plog-1_1.log") -> FileStore:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return open_store([str(path)], limits=LIMITS)


@MANY
@given(log=_LOGS, form=st.sampled_from(sorted(PACKERS)), inside=st.sampled_from(["", "tar", "zip"]))
def test_a_packed_log_is_the_log(log: bytes, form: str, inside: str) -> None:
    pack = PACKERS[form]
    members = {"plog-1_1.log": log}
    data = {"": pack(log), "tar": pack(tar_of(members)), "zip": zip_of({f"plog-1_1.log.{form}": pack(log)})}[inside]
    assert _everything(_opened(data)) == _everything(_opened(log))


@MANY
@given(
    log=_LOGS,
    form=st.sampled_from([*sorted(PACKERS), "tar", "zip"]),
    cut=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), max_size=4),
)
def test_a_damaged_archive_is_answered_or_refused_in_a_sentence(
    log: bytes, form: str, cut: float, flips: list[tuple[float, int]]
) -> None:
    members = {"plog-1_1.log": log, "plog-2_1.log": log}
    data = bytearray({"tar": tar_of, "zip": zip_of}[form](members) if form not in PACKERS else PACKERS[form](log))
    for place, bits in flips:
        data[int(place * len(data))] ^= bits
    try:
        store = _opened(bytes(data[: int(cut * len(data))]))
    except InputError:
        return
    assert store.rows == sum(source.records for source in store.sources)
    assert all(store.text(row) is not None for row in range(store.rows))


@MANY
@given(
    data=st.binary(max_size=2000), magic=st.sampled_from([b"", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"PK\x03\x04"])
)
def test_bytes_of_any_kind_are_answered_or_refused_in_a_sentence(data: bytes, magic: bytes) -> None:
    with contextlib.suppress(InputError):
        _opened(magic + data)


@MANY
@given(log=_LOGS, place=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255), pick=st.integers(0, 100))
def test_a_cache_with_any_byte_changed_gives_the_log(log: bytes, place: float, bits: int, pick: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "plog-1_1.log"
        path.write_bytes(log)
        cache = Cache(folder / "cache", print, smallest=0)
        expected = _everything(open_store([str(path)], cache=cache))
        entry = next(each for each in cache.folder.iterdir() if each.is_dir())
        files = sorted(entry.iterdir())
        victim = files[pick % len(files)]
        data = bytearray(victim.read_bytes())
        data[int(place * len(data))] ^= bits
        victim.write_bytes(data)
        assert _everything(open_store([str(path)], cache=cache)) == expected
        shutil.rmtree(cache.folder)


@MANY
@given(log=_LOGS, cuts=st.lists(st.floats(0, 1), max_size=6), polls=st.lists(st.booleans(), min_size=7, max_size=7))
def test_a_log_that_grew_in_any_steps_is_the_log(log: bytes, cuts: list[float], polls: list[bool]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "app.log"
        path.write_bytes(b"")
        store = FollowStore(numpy_scanner, lambda: [str(path)], clock=lambda: 0.0)
        store.add(open_plain(str(path)))
        ends = [*sorted(int(cut * len(log)) for cut in cuts), len(log)]
        for start, end, poll in zip([0, *ends], ends, polls, strict=False):
            with path.open("ab") as file:
                file.write(log[start:end])
            if poll:
                store.poll()
        store.poll()
        assert _everything(store) == _everything(open_store([str(path)]))


@MANY
@given(
    log=_LOGS,
    since=st.none() | st.integers(0, 999_999),
    pids=st.sets(st.integers(1, 3)),
    ops=st.sets(st.sampled_from(["add1", "mul", "*"])),
    most=st.none() | st.integers(1, 20),
    block=st.integers(40, 400),
)
def test_a_selection_while_reading_is_one_made_afterwards(
    log: bytes, since: int | None, pids: set[int], ops: set[str], most: int | None, block: int
) -> None:
    base = 1_772_705_472_000_000_000
    selection = Selection(
        since_ns=None if since is None else base + since * 1000,
        pids=tuple(sorted(pids)),
        ops=tuple(sorted(ops)),
        max_events=most,
    )
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        path = Path(name) / "plog-1_1.log"
        path.write_bytes(log)
        whole = open_store([str(path)])
        wanted = selection.keeps({each: whole.column(each) for each in COLUMNS}, whole.names)
        expected = [whole.text(row) for row in wanted.nonzero()[0].tolist()][:most]
        patch.setattr("getrace.plog.reader.BLOCK", block)
        try:
            found = open_store([str(path)], selection=selection)
        except InputError:
            assert expected == []
            return
        assert [found.text(row) for row in range(found.rows)] == expected
        assert found.sources[0].records == len(expected)


@given(data=st.binary(max_size=300), places=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=5))
def test_any_stretch_of_a_source_can_be_read(data: bytes, places: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a"
        path.write_bytes(data)
        for source in (open_plain(str(path)), Bytes("b", data)):
            assert [source.read(start, end) for start, end in places] == [data[start:end] for start, end in places]
