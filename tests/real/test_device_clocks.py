"""The clocks of two public runs whose host and device logs are both known."""

from pathlib import Path

import pytest

from getrace.replay import open_store

pytestmark = pytest.mark.real

FAULT = (
    "13-gatherv3-aivec-plog155320-debug.log",
    "14-gatherv3-plog155320-run.log",
    "15-gatherv3-device-155320-aicpu-run.log",
    "202-device-firmware-LPM-IMP-TSCH-1970-clock.log",
)
ANOTHER = ("10-fa-plog1592007-run.log", "11-fa-device-1592007-run.log")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (FAULT, [None, None, (119_211_000, 172_166_000), (128_401_000, None)]),
        (ANOTHER, [None, (1_143_224_000, 1_192_806_000)]),
    ],
)
def test_the_offset_of_each_source(
    cases: Path, names: tuple[str, ...], expected: list[tuple[int, int | None] | None]
) -> None:
    store = open_store([str(cases / "real" / name) for name in names])
    found = [None if source.clock is None else (source.clock.low_ns, source.clock.high_ns) for source in store.sources]
    assert found == expected


def test_the_bounds_are_proven_by_lines(cases: Path) -> None:
    store = open_store([str(cases / "real" / name) for name in FAULT])
    firmware = store.sources[3].clock
    assert firmware is not None
    assert [
        (proof.what, proof.line, Path(proof.reference).name, proof.reference_line) for proof in firmware.proofs
    ] == [("a fault and its report", 2858, FAULT[0], 1)]


def test_the_fault_of_the_device_stands_before_the_host_s_first_word_of_it(cases: Path) -> None:
    store = open_store([str(cases / "real" / name) for name in FAULT])
    texts = [store.text(row) for row in range(store.rows)]
    fault = next(row for row, text in enumerate(texts) if "error_type=8, pid=155320" in text)
    report = next(row for row, text in enumerate(texts) if "Task run failed, device_id=0, stream_id=2" in text)
    assert fault < report
    assert store.column("time")[fault] - store.column("time")[report] == 128_401_000
