"""Properties of the codec: canonical spellings come back, the scanners agree, no byte is lost."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from store_columns import columns_of, joined

from getrace.errors import InputError
from getrace.plog.codec import grammar
from getrace.plog.convert import convert
from getrace.plog.file_store import FileStore
from getrace.plog.reader import read_source
from getrace.plog.row import GUIDE, Row
from getrace.plog.rows import ROWS
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_native import extension, native_scanner
from getrace.plog.scan_table import Scanner, table_scanner
from getrace.plog.source import Bytes

# A look-ahead rejects nearly every text that could be generated; such a row has its samples in the unit tests.
WRITTEN = [row for row in ROWS if GUIDE not in row.dialects and "(?=" not in row.template.regex.pattern]


FAST = [numpy_scanner] if extension() is None else [numpy_scanner, native_scanner]


def _read(data: bytes, scanner: Scanner) -> FileStore:
    store = FileStore()
    read_source(store, Bytes("test.log", data), scanner)
    return store


@pytest.mark.parametrize("row", WRITTEN, ids=[f"{at}-{row.event.kind}" for at, row in enumerate(WRITTEN)])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_text_a_row_accepts_is_its_alone_and_comes_back(row: Row, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(row.template.regex, fullmatch=True))
    allocator = "allocator_7" if row.spoken else None
    claimed = grammar().claims(row.scope, text, allocator)
    assert len(claimed) == 1
    event = claimed[0].read(text, allocator)
    assert event is not None
    assert claimed[0].spell(event) == text


_PREFIXES = st.sampled_from(
    [
        "[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 ",
        "[INFO] GE(4711,demo):2026-03-05-10:11:12.130 ",
        "[ERROR] GE(4711,de)mo):2026-03-05-10:11:12.130.002 ",
        "[INFO] RUNTIME(4711,demo):2026-03-05-10:11:13.130.001 ",
        "[ERROR] RUNTIME(4711,demo):2026-03-05-10:11:13.130.001 ",
        "[INFO] HCCL(4711,demo):2026-03-05-10:11:13.130.001 ",
        "[INFO] FMK(4711,demo):2026-03-05-10:11:13.130.001 ",
        "[INFO]HCCL(4711,demo):2026-03-05-10:11:13.130.001",
        "17:[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 ",
        "plog-1.log:[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 ",
        "worker-1  | [INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 ",
        "[INFO] GE(4711,demo):2026-03-05 10:11:12 ",
        "[INFO] GE(4711,demo): 2026-03-05-10:11:12.130.001 ",
        "[INFO] GE(4711,demo):2026-13-05-10:11:12.130.001 ",
        "",
    ]
)
_HEADERS = st.sampled_from(
    [
        "[a.cc:1]5 Func:",
        "[a.cc:1]5 Func: ",
        "[a.cc:1] 5 Func: ",
        "[a.cc:1] 5 Func:",
        "[a.cc:1]5 ge::Class::Func:",
        "[a.cc:1]5 Func: ErrorNo: 4294967295(failed)",
        "[a.cc:1]5 Func: ErrorNo: 4294967295(failed) [EXEC][EXEC]",
        "[a.cc:1]5 Func:[EXEC][DEFAULT]",
        "[a.cc:1]5 [allocator_3] Func:",
        "[a.cc:1]5 [rts_allocator_3] Func: ErrorNo: 1(x)",
        "[a.cc:1][Func][tid:7] ",
        "[a.cc:1][TAG][Func][7] ",
        "[a.cc:1][TAG] [b.cc:2] ",
        "[a.cc:1] >>> (tid:9) ",
        "[a.cc:1][4711][12]",
        "[a.cc:1]",
        "[a.cc:1]5 ",
        "[ascend][curpid: 4711, 9][drv]",
        "[status:INIT] [a.cc:1]4 F:",
        "",
    ]
)
_NAMES = st.sampled_from(["", "AllocMemHbm_add1_63", "A_b[0]_1", "A_x]y_2", "NoOp", "X_Replaced_NoOp", "[", "é_1"])
_SAMPLES = st.sampled_from([sample for row in ROWS for sample in row.samples])
_ODD = st.text(alphabet=st.sampled_from("0x12af-(nil)[]:,. \t<>TE\x00\x1b\u00e9\u4e2d"), max_size=12)


@st.composite
def _messages(draw: st.DrawFn) -> str:
    sample = draw(st.one_of(_SAMPLES, _SAMPLES, _ODD))
    cut = draw(st.integers(0, len(sample)))
    sample = draw(st.sampled_from([sample, sample[:cut], sample[:cut] + draw(_ODD) + sample[cut:]]))
    if draw(st.integers(0, 9)) == 0:
        sample += "[ERROR] GE(4711,demo):2026-03-05-10:11:12.130.001 [a.cc:1]5 Func:" + draw(_SAMPLES)
    tag = draw(st.sampled_from(["", "", "[KernelTrace]", "named", "named"]))
    return f"[KernelTrace][{draw(_NAMES)}]{sample}" if tag == "named" else tag + sample


@st.composite
def _logs(draw: st.DrawFn) -> bytes:
    lines = [draw(_PREFIXES) + draw(_HEADERS) + draw(_messages()) for _ in range(draw(st.integers(1, 12)))]
    text = draw(st.sampled_from(["\n", "\r\n"])).join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.encode() + draw(st.sampled_from([b"", b"\xff\xfe\n", b"\n\xe4"]))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=_logs())
@example(data=b"[INFO] GE(1,p):2026-03-05-10:11:12.130.001 [a.cc:1]5 ge: x\n" * 2)
@example(
    data=b"[INFO] GE(1,p):2026-03-05-10:11:12.130.001 [a.cc:1]5 [allocator_3] F:[KernelTrace] Start model tracing.\n"
)
@example(data=b"[INFO] GE(1,p):2026-03-05-10:11:12.130.001 [a.cc:1]99999999999999999999 F:x\n" * 2)
@example(
    data=b"[INFO] GE(1,p):2026-03-05-10:11:12.130.001 [a.cc:1]5 F:[KernelTrace][A_1]"
    b"[MEM]Free memory at stream 3000000000, address 0x1\n"
)
def test_the_fast_scanners_say_what_the_table_says(data: bytes) -> None:
    try:
        slow = _read(data, table_scanner)
    except InputError:
        for scanner in FAST:
            with pytest.raises(InputError):
                _read(data, scanner)
        return
    for scanner in FAST:
        assert columns_of(_read(data, scanner)) == columns_of(slow)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=_logs())
def test_records_and_continuation_lines_make_all_lines_and_no_byte_is_lost(data: bytes) -> None:
    try:
        store = _read(data, numpy_scanner)
    except InputError:
        return
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    assert store.sources[0].lines == lines
    assert int(store.column("lines").sum()) == lines
    assert joined(store) == data.removesuffix(b"\n")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=_logs())
def test_convert_gives_back_every_log_to_the_letter(data: bytes) -> None:
    try:
        store = _read(data, numpy_scanner)
    except InputError:
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.log"
        done = convert(store, target)
        assert target.read_bytes() == data
        assert done.through_rows + done.kept == done.lines


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=_logs(), size=st.integers(1, 300))
@example(data=b"[INFO] GE(1,p):2026-03-05-10:11:12.130.001 [a.cc:1]5 F:x\nmore\n" * 40, size=97)
def test_a_log_read_in_small_blocks_is_the_same_log(data: bytes, size: int) -> None:
    try:
        whole = _read(data, numpy_scanner)
    except InputError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("getrace.plog.reader.BLOCK", size)
        cut = _read(data, numpy_scanner)
    assert columns_of(cut) == columns_of(whole)
    assert cut.sources == whole.sources
