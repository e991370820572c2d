"""Opening: files, folders, archives, pipes; several logs by time; split messages; what is no log."""

import gzip
import io
import os
import tarfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from getrace.dumps.formats import dumps_in
from getrace.errors import InputError
from getrace.events import EVENTS
from getrace.events.launch import ArgWords
from getrace.events.text import Foreign
from getrace.replay import open_store
from getrace.store.columns import CUT, JOINED, none_of


def line(micros: int, text: str = "x", pid: int = 1, tid: int = 5) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.000.{micros:03d} [a.cc:1]{tid} F:{text}"


LOG = "\n".join(line(number) for number in range(5)) + "\n"


def test_a_folder_is_searched_and_its_logs_are_merged_by_time(tmp_path: Path) -> None:
    deep = tmp_path / "debug" / "plog"
    deep.mkdir(parents=True)
    (deep / "plog-1_1.log").write_text("\n".join(line(at) for at in (1, 3, 5)))
    (deep / "plog-2_1.log").write_text("\n".join(line(at, pid=2) for at in (2, 4)))
    (tmp_path / "device-1_1.log").write_text(line(0, pid=3))
    (tmp_path / "notes.txt").write_text("no log")
    store = open_store([str(tmp_path)])
    assert store.column("pid").tolist() == [3, 1, 2, 1, 2, 1]
    assert [store.text(row)[-40:-36] for row in range(3)]
    assert [source.records for source in store.sources] == [3, 2, 1]


def test_records_of_one_log_are_never_reordered_against_each_other(tmp_path: Path) -> None:
    (tmp_path / "plog-1_1.log").write_text("\n".join(line(at) for at in (5, 1, 6)))
    (tmp_path / "plog-2_1.log").write_text(line(3, pid=2))
    store = open_store([str(tmp_path)])
    assert [(int(pid), text) for pid, text in zip(store.column("pid"), store.column("line").tolist(), strict=True)] == [
        (2, 1),
        (1, 1),
        (1, 2),
        (1, 3),
    ]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_compressed_log_is_read_by_its_content_whatever_its_name(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / "packed.bin"
    path.write_bytes(pack(LOG.encode()))
    store = open_store([str(path)])
    assert (store.rows, store.sources[0].lines) == (5, 5)
    assert store.text(4) == line(4)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_truncated_archive_gives_what_came_before_the_break(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    text = "".join(line(at % 1000, f"{at * 7919}") + "\n" for at in range(20000)).encode()
    path = tmp_path / "cut.log"
    packed = pack(text)
    path.write_bytes(packed[: len(packed) // 2])
    store = open_store([str(path)])
    assert 0 < store.rows < 20000
    assert "data breaks off after" in store.sources[0].broken


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_an_archive_cut_in_its_head_is_refused(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / "cut.log"
    path.write_bytes(pack(LOG.encode())[:10])
    with pytest.raises(InputError, match="broken at its beginning"):
        open_store([str(path)])


def test_several_frames_in_one_zst_are_one_log(tmp_path: Path) -> None:
    pack = zstandard.ZstdCompressor().compress
    path = tmp_path / "a.zst"
    path.write_bytes(pack(LOG.encode()) + pack(LOG.encode()))
    store = open_store([str(path)])
    assert (store.rows, store.sources[0].broken) == (10, "")


def test_standard_input_is_a_log_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(LOG.encode()))))
    assert open_store(["-"]).rows == 5


def test_a_packed_log_on_standard_input_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = io.BufferedReader(io.BytesIO(gzip.compress(LOG.encode())))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=packed))
    assert open_store(["-"]).rows == 5


def test_a_named_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(LOG,))
    writer.start()
    store = open_store([str(pipe)])
    writer.join()
    assert store.rows == 5


def test_a_folder_without_names_of_ge_is_searched_by_content(tmp_path: Path) -> None:
    (tmp_path / "01-what-the-user-sent.log").write_text(LOG)
    (tmp_path / "02-notes.txt").write_text("we restarted it twice\n")
    (tmp_path / "03-graph.txt").write_text('graph {\n  name: "g"\n  op {\n    name: "a"\n    type: "Data"\n  }\n}\n')
    store = open_store([str(tmp_path)])
    assert [(Path(source.path).name, source.records) for source in store.sources] == [("01-what-the-user-sent.log", 5)]
    assert [graph.root for graph in store.graphs] == ["g"]
    assert [path.name for path in dumps_in(tmp_path)] == ["03-graph.txt"]
    assert store.sources[0].warnings == []


def test_where_logs_have_names_of_ge_no_other_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "plog-1_1.log").write_text(LOG)
    (tmp_path / "copy-of-it.log").write_text(LOG)
    assert len(open_store([str(tmp_path)]).sources) == 1


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plog-9_9.log")
    (tmp_path / "plog-1_1.log").write_text(LOG)
    assert open_store([str(tmp_path)]).rows == 5


def test_a_device_is_no_log() -> None:
    with pytest.raises(InputError, match="/dev/zero is a device, not a log"):
        open_store(["/dev/zero"])


def test_a_log_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "plog-1_1.log"
    path.write_text(LOG)
    store = open_store([str(path), str(tmp_path)])
    assert store.rows == 5
    assert store.sources[0].warnings == [f"{path} was given twice and read once"]


def packed_tar(folder: Path, how: str) -> Path:
    inner = folder / "plog-1_1.log"
    inner.write_text(LOG)
    path = folder / "logs.packed"
    with tarfile.open(path, how) as archive:  # type: ignore[call-overload]
        archive.add(inner, "plog-1_1.log")
    return path


@pytest.mark.parametrize("how", ["w", "w:gz", "w:bz2", "w:xz"])
def test_the_log_in_a_tar_is_read_and_named_by_both(tmp_path: Path, how: str) -> None:
    path = packed_tar(tmp_path, how)
    store = open_store([str(path)])
    assert (store.rows, [source.path for source in store.sources]) == (5, [f"{path}/plog-1_1.log"])
    assert store.text(4) == line(4)


def test_the_log_in_a_zip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/plog-1_1.log", LOG)
    store = open_store([str(path)])
    assert (store.rows, [source.path for source in store.sources]) == (5, [f"{path}/a/plog-1_1.log"])


def test_text_in_front_of_the_first_record_is_kept_as_one_row(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("$ run.sh\nhello\n" + LOG)
    store = open_store([str(path)])
    assert store.event(0) == Foreign("$ run.sh\nhello")
    assert store.column("lines").tolist() == [2, 1, 1, 1, 1, 1]
    assert store.column("line").tolist() == [1, 3, 4, 5, 6, 7]


def test_lines_without_a_prefix_belong_to_the_record_before(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"{line(1)}\n  more\n\n{line(2)}\ntail")
    store = open_store([str(path)])
    assert [store.text(row) for row in range(2)] == [f"{line(1)}\n  more\n", f"{line(2)}\ntail"]


def test_a_split_message_is_joined_also_with_other_threads_in_between(tmp_path: Path) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    words = "".join(f"{word:#x} " for word in range(1, 300))
    size = 859 - len(name)
    front = "[INFO] GE(1,p):2026-03-05-10:11:12.000.{:03d} [executor_tracer.cc:74]5 OnExecuteEvent:"
    pieces = [words[start : start + size] for start in range(0, len(words), size)]
    assert len(pieces) == 2
    rows = [front.format(at) + f"[KernelTrace][{name}]{piece}" for at, piece in enumerate(pieces)]
    path = tmp_path / "a.log"
    path.write_text("\n".join([rows[0], line(0, "other", tid=6), rows[1], line(9)]))
    store = open_store([str(path)])
    assert store.event(0) == ArgWords(tuple(range(1, 300)))
    assert [EVENTS[kind].kind for kind in store.column("kind").tolist()] == [
        "arg_words",
        "log_line",
        "note",
        "log_line",
    ]
    assert store.column("flags").tolist() == [0, 0, JOINED, 0]


def test_a_full_piece_without_a_rest_is_not_joined_with_another_kernel(tmp_path: Path) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    text = ("0x1 " * 300)[: 859 - len(name)]
    front = "[INFO] GE(1,p):2026-03-05-10:11:12.000.001 [executor_tracer.cc:74]5 OnExecuteEvent:[KernelTrace]"
    path = tmp_path / "a.log"
    path.write_text(f"{front}[{name}]{text}\n{front}[FreeMemory_add1_74]\n")
    store = open_store([str(path)])
    assert store.pieces == {}
    assert store.column("flags").tolist() == [0, 0]


def test_pieces_stay_together_when_logs_are_merged(tmp_path: Path) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    words = "".join(f"{word:#x} " for word in range(1, 300))
    size = 859 - len(name)
    front = "[INFO] GE(1,p):2026-03-05-10:11:12.000.{:03d} [executor_tracer.cc:74]5 OnExecuteEvent:[KernelTrace][{}]{}"
    rows = [front.format(at, name, words[start : start + size]) for at, start in ((1, 0), (3, size))]
    (tmp_path / "plog-1_1.log").write_text("\n".join(rows))
    (tmp_path / "plog-2_1.log").write_text("\n".join(line(at, pid=2) for at in (0, 2)))
    store = open_store([str(tmp_path)])
    assert store.column("pid").tolist() == [2, 1, 2, 1]
    assert store.pieces == {1: [3]}
    assert store.event(1) == ArgWords(tuple(range(1, 300)))


def test_a_packed_file_without_lines_is_given_up_early(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(70 << 20)))
    with pytest.raises(InputError, match="its first 64 MiB are one line"):
        open_store([str(path)])


def test_a_line_of_1022_bytes_is_marked_as_cut(tmp_path: Path) -> None:
    front = line(1, "")
    path = tmp_path / "a.log"
    path.write_text(front + "y" * (1022 - len(front)) + "\n" + front + "y" * (1021 - len(front)))
    assert open_store([str(path)]).column("flags").tolist() == [CUT, 0]


def test_windows_line_ends_and_bad_bytes_survive(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(line(1, "a\udcffb").encode("utf-8", "surrogateescape") + b"\r\n" + line(2).encode() + b"\r\n")
    store = open_store([str(path)])
    assert store.rows == 2
    assert store.first_line(0) == line(1, "a\udcffb")


def test_a_record_without_a_time_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("[KernelTrace][Tiling] tiling key: 1, workspace: 2\n")
    assert open_store([str(path)]).column("time").tolist() == [none_of("time")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02" * 1000, "is a binary file"),
        (b"x" * 1_000_000, "is no plog"),
        (b"\x7fELF\x02\x01" + bytes(100), "is a program or library"),
        (b"7z\xbc\xaf\x27\x1c", "is an archive of a kind that is not read"),
        (b"Rar!\x1a\x07", "is an archive of a kind that is not read"),
        (b'{"graph": []}', "is a JSON document"),
        (b'graph {\n  name: "g"\n}\n', "is a graph dump"),
        (b"a,b,c,d,e\n1,2,3,4,5\n", "is a table (CSV)"),
        ("[INFO] GE(1,p):".encode("utf-16"), "is a text in UTF-16"),
        (b"ir_version: 1\n", "is a ge_onnx dump"),
        (b"plog/plog-370.log:[INFO] GE(1,p):x\n", "is what grep printed"),
        (b"(EngineCore pid=247) ERROR 06-08 14:11:34 [core.py:1136] x\n", "is the console output of a Python program"),
        (b"2024-06-14 16:13:53.548.098 Begin to initialize TeFusion.\n", "is a trace of the operator compiler"),
        (b"RuntimeError: npuSynchronizeDevice\n", "is the error of a Python program"),
        (b"[INFO] acl init success\n", "is a log whose lines carry no module, process and time"),
        (b"EZ9999: Inner Error!\n", "is the error text that CANN shows to the user"),
    ],
)
def test_what_is_no_log_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_store([str(path)])
    assert words in caught.value.message
    assert caught.value.hint


def test_a_broken_file_in_a_folder_is_a_warning_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "plog-1_1.log").write_text(LOG)
    (tmp_path / "plog-2_1.log").write_bytes(bytes(1000))
    store = open_store([str(tmp_path)])
    assert store.rows == 5
    assert "plog-2_1.log is a binary file" in store.sources[0].warnings[0]


def test_missing_files_folders_and_globs_are_told_apart(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "no.log", "no such file"),
        (tmp_path, "holds no log"),
        (tmp_path / "*.log", "matches"),
    ):
        with pytest.raises(InputError, match=words):
            open_store([str(path)])
