"""What goes wrong with files while they are read: the rest is answered, with a warning, and the exit code is 0."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from getrace.cli import main
from getrace.errors import ChangedError, InputError
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import Scan
from getrace.replay import open_store
from getrace.store.names import Names
from getrace.store.store import Store

Capture = pytest.CaptureFixture[str]
Harm = Callable[[Path], object]


def line(number: int, pid: int = 1) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{number // 1000:03d}.{number % 1000:03d} [a.cc:1]5 F:{number}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for pid in (1, 2):
        (tmp_path / f"plog-{pid}_1.log").write_text("".join(line(number, pid) for number in range(1000)))
    return tmp_path


def cut_to(size: int) -> Harm:
    return lambda path: os.truncate(path, size)


def harmed_while_read(path: Path, harm: Harm) -> Callable[[Names], Scan]:
    """Give a scanner that harms a file after the first block of the first log."""
    done: list[Path] = []

    def scanner(names: Names) -> Scan:
        scan = numpy_scanner(names)

        def scan_and_harm(block: memoryview) -> object:
            if not done:
                done.append(path)
                harm(path)
            return scan(block)

        return scan_and_harm  # type: ignore[return-value]

    return scanner


@pytest.mark.parametrize(
    ("harm", "rows", "warnings"),
    [
        (cut_to(0), 1000, ["{} is empty"]),
        (cut_to(21_500), 1366, ["{} was cut while it was read: the answer is from its first 21,500 bytes"]),
        (cut_to(58_889), 2000, ["{} was cut while it was read: the answer is from its first 58,889 bytes"]),
        (lambda path: path.unlink(), 2000, []),
    ],
    ids=["emptied", "cut", "cut by a newline", "removed"],
)
@pytest.mark.parametrize("block", [1 << 21, 5000])
def test_a_file_that_is_harmed_while_it_is_read(
    folder: Path, harm: Harm, rows: int, warnings: list[str], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getrace.plog.reader.BLOCK", block)
    path = folder / "plog-1_1.log"
    store = open_store([str(folder)], scanner=harmed_while_read(path, harm))
    expected = [warning.format(path) for warning in warnings]
    assert [warning for source in store.sources for warning in source.warnings] == expected
    assert store.rows == rows
    assert all(store.text(row) for row in range(store.rows))
    assert sum(source.lines for source in store.sources) - rows in (0, 1)  # half a line belongs to the last record


def test_a_single_log_that_is_emptied_while_it_is_read_is_a_sentence(folder: Path) -> None:
    path = folder / "plog-1_1.log"
    with pytest.raises(InputError, match="is empty"):
        open_store([str(path)], scanner=harmed_while_read(path, cut_to(0)))


def test_a_log_that_is_cut_while_a_verb_looks_at_it_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = folder / "plog-1_1.log"
    path.write_text(path.read_text().replace("[INFO] GE", "[ERROR] GE"))
    opened: list[int] = []

    def open_and_cut(paths: Sequence[str], **options: object) -> Store:
        store = open_store(paths, **options)  # type: ignore[arg-type]
        opened.append(store.rows)
        os.truncate(path, 21_500)
        return store

    monkeypatch.setattr("getrace.replay.open_store", open_and_cut)
    code = main(["diagnose", str(path)])
    err = capsys.readouterr().err
    assert opened == [1000, 360]
    assert f"{path} was cut while it was looked at: it is read again" in err
    assert code in (0, 1, 3)


def closed(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Make a file unreadable, for root too."""
    really = os.open

    def forbidding(name: str, *rest: int) -> int:
        if str(name) == str(path):
            raise PermissionError(13, "Permission denied", name)
        return really(name, *rest)

    monkeypatch.setattr("os.open", forbidding)


@pytest.mark.parametrize("verb", ["check", "stats", "diagnose"])
def test_an_unreadable_file_in_a_folder_is_a_warning(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, verb: str
) -> None:
    closed(monkeypatch, folder / "plog-2_1.log")
    main([verb, str(folder), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert [source["records"] for source in answer["sources"]] == [1000]
    assert f"{folder / 'plog-2_1.log'} cannot be read: Permission denied" in answer["warnings"]


def test_the_rest_of_a_folder_is_answered_with_0(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    closed(monkeypatch, folder / "plog-2_1.log")
    assert main(["stats", str(folder), "--by", "module"]) == 0
    assert "Permission denied" in capsys.readouterr().err


def test_a_named_file_that_may_not_be_read_ends_with_3(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = folder / "plog-2_1.log"
    closed(monkeypatch, path)
    assert main(["check", str(path)]) == 3
    assert f"{path} cannot be read: Permission denied\n  -> check the rights of the file" in capsys.readouterr().err


def test_a_closed_folder_below_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "debug").mkdir()
    really = os.scandir

    def forbidding(path: str) -> object:
        if str(path).endswith("debug"):
            raise PermissionError(13, "Permission denied", str(path))
        return really(path)

    monkeypatch.setattr("os.scandir", forbidding)
    store = open_store([str(folder)])
    assert store.rows == 2000
    assert store.sources[0].warnings == [f"{folder}/debug cannot be read: Permission denied"]


def test_a_link_that_leads_nowhere_and_one_in_a_circle_are_left_out(folder: Path) -> None:
    (folder / "plog-8_1.log").symlink_to(folder / "nowhere")
    (folder / "plog-9_1.log").symlink_to(folder / "plog-9_1.log")
    (folder / "circle").symlink_to(folder)
    assert open_store([str(folder)]).rows == 2000


def test_a_screen_s_store_outlives_a_log_that_is_cut(folder: Path) -> None:
    store = open_store([str(folder)])
    store.lenient = True
    path = folder / "plog-1_1.log"
    os.truncate(path, 100)
    own = np.flatnonzero(store.column("source") == 0)
    others = np.flatnonzero(store.column("source") == 1)
    assert store.text(int(own[900])) == "(this record is gone: the log was cut)"
    assert {store.kind(row).kind for row in own.tolist()} == {"foreign"}
    assert list(store.texts(own[:3], 1000)) == ["", "", ""]
    assert [store.text(row) + "\n" for row in others[:2].tolist()] == [line(0, 2), line(1, 2)]
    assert store.sources[0].warnings == [f"{path} was cut while it was looked at: its records are gone"]


def test_many_texts_of_a_log_that_is_cut_are_not_answered_with_nothing(folder: Path) -> None:
    store = open_store([str(folder / "plog-1_1.log")])
    os.truncate(folder / "plog-1_1.log", 100)
    with pytest.raises(ChangedError, match="was cut while it was looked at"):
        list(store.texts(np.arange(900, 910), 1000))
