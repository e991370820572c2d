"""Packed logs and archives: what is read, what is refused, and that no archive can do harm."""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from archive_builder import PACKERS, Pack, tar_of, tar_of_links, zip_of

from getrace.cli import main
from getrace.errors import InputError
from getrace.ingest.limits import Limits
from getrace.ingest.members import harmless
from getrace.replay import open_store

SMALL = Limits(always=100_000, ratio=50, longest_line=20_000, members=20, header=10_000)


def line(number: int, pid: int = 1) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.000.{number % 1000:03d} [a.cc:1]5 F:{number}"


def log(count: int, pid: int = 1) -> bytes:
    return "".join(line(number, pid) + "\n" for number in range(count)).encode()


DUMP = b'graph {\n  name: "g"\n  op {\n    name: "a"\n    type: "Data"\n  }\n}\n'


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_packed_log_is_read_by_its_content(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "odd.name"
    path.write_bytes(pack(log(3000)))
    store = open_store([str(path)])
    assert (store.rows, store.sources[0].lines, store.sources[0].broken) == (3000, 3000, "")
    assert store.text(2999) == line(2999)


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_several_packed_streams_behind_one_another_are_one_log(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(log(10)) + pack(log(10)))
    assert open_store([str(path)]).rows == 20


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_what_came_before_a_break_is_answered(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a"
    packed = pack(log(40_000))
    path.write_bytes(packed[: len(packed) * 2 // 3])
    store = open_store([str(path)])
    assert 0 < store.rows < 40_000
    assert "data breaks off after" in store.sources[0].broken


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_stream_that_is_broken_at_its_beginning_is_refused(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "a"
    path.write_bytes(pack(log(1))[:11])
    with pytest.raises(InputError, match=r"data (is broken at its beginning|breaks off after 2 bytes)"):
        open_store([str(path)])


def test_zeros_behind_a_packed_log_are_padding(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(log(5)) + bytes(1 << 17))
    store = open_store([str(path)])
    assert (store.rows, store.sources[0].broken) == (5, "")


@pytest.mark.parametrize("pack", [*PACKERS.values(), bytes], ids=[*PACKERS, "plain"])
def test_a_tar_is_read_member_by_member(tmp_path: Path, pack: Pack) -> None:
    members = {"x/debug/plog/plog-1_1.log": log(3), "x/plog-2_1.log.gz": gzip.compress(log(2, 2)), "x/n.txt": b"notes"}
    path = tmp_path / "a"
    path.write_bytes(pack(tar_of({**members, "x/graphs/ge_proto_00000_Build.txt": DUMP})))
    store = open_store([str(path)])
    assert [(source.path, source.records) for source in store.sources] == [
        (f"{path}/x/debug/plog/plog-1_1.log", 3),
        (f"{path}/x/plog-2_1.log.gz", 2),
    ]
    assert [(graph.root, graph.source) for graph in store.graphs] == [
        ("g", f"{path}/x/graphs/ge_proto_00000_Build.txt")
    ]
    assert store.sources[0].warnings == []


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_read_member_by_member(tmp_path: Path, how: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(zip_of({"x/plog-1_1.log": log(3), "plog-2_1.log": log(2, 2), "ge_proto_0_B.txt": DUMP}, how))
    store = open_store([str(path)])
    assert [source.records for source in store.sources] == [3, 2]
    assert [graph.root for graph in store.graphs] == ["g"]


FOUR = {"plog-1_1.log": log(4)}


def test_an_archive_without_names_of_ge_is_searched_by_content(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of({"first.txt": log(3), "notes.md": b"we restarted it\n"}))
    assert [source.path for source in open_store([str(path)]).sources] == [f"{path}/first.txt"]


@pytest.mark.parametrize("data", [tar_of(FOUR), zip_of(FOUR)], ids=["tar", "zip"])
def test_an_archive_comes_through_a_pipe_too(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(data))))
    store = open_store(["-"])
    assert (store.rows, store.sources[0].path) == (4, "-/plog-1_1.log")


def test_an_archive_in_a_folder_is_opened_when_no_log_has_a_name_of_ge(tmp_path: Path) -> None:
    (tmp_path / "from-the-user.tgz").write_bytes(gzip.compress(tar_of({"plog-1_1.log": log(4)})))
    assert open_store([str(tmp_path)]).rows == 4


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (tar_of({"notes.md": b"x"}), "is a tar archive that holds no log"),
        (zip_of({"notes.md": b"x"}), "is a zip archive that holds no log"),
        (tar_of({"inner.zip": zip_of({"plog-1_1.log": log(1)})}), "is a tar archive that holds no log"),
        (b"PK\x03\x04 and nothing else", "the zip archive breaks off"),
        (zip_of({"plog-1_1.log": log(9)})[:-30], "the zip archive breaks off"),
    ],
    ids=["tar without a log", "zip without a log", "zip inside a tar", "no zip", "cut zip"],
)
def test_an_archive_without_a_log_is_refused_with_a_hint(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    with pytest.raises(InputError, match=sentence) as caught:
        open_store([str(path)])
    assert caught.value.hint


def test_a_tar_that_breaks_off_is_answered_and_ends_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of({"plog-1_1.log": log(40), "plog-2_1.log": log(400, 2)})[:12_000])
    store = open_store([str(path)])
    assert store.sources[0].records == 40
    assert "breaks off" in "".join(source.broken for source in store.sources)
    assert main(["stats", str(path), "--by", "module"]) == 3
    assert "breaks off" in capsys.readouterr().err


def test_a_tar_that_breaks_off_in_its_only_log_gives_what_is_there_of_it(tmp_path: Path) -> None:
    whole, path = tar_of({"plog-1_1.log": log(4_000)}), tmp_path / "logs.tar"
    path.write_bytes(whole[: len(whole) // 2])
    store = open_store([str(path)])
    lost = len(whole) // 2 - 512 - len(store.data[0])
    assert 0 <= lost <= 8192
    assert store.sources[0].broken.endswith("(unexpected end of data)")


def test_a_tar_that_breaks_off_in_front_of_the_first_line_is_refused_as_broken(tmp_path: Path) -> None:
    path = tmp_path / "logs.tar"
    path.write_bytes(tar_of({"plog-1_1.log": log(4_000)})[:600])
    with pytest.raises(InputError, match="unexpected end of data"):
        open_store([str(path)])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/plog-1_1.log", "etc/plog-1_1.log"),
        ("C:\\logs\\plog-1_1.log", "logs/plog-1_1.log"),
        ("a/./b/../plog-1_1.log", "a/b/plog-1_1.log"),
        ("..", "member"),
    ],
)
def test_the_name_of_a_member_never_leads_out_of_the_archive(name: str, shown: str) -> None:
    assert harmless(name) == shown


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_nothing_is_written_where_a_name_says(tmp_path: Path, pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(pack)
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    path = inside / "a"
    evil = {"../plog-1_1.log": log(3), "../../ge_proto_00000_Build.txt": DUMP, f"{tmp_path}/ge_proto_00001_B.txt": DUMP}
    path.write_bytes(pack(evil))
    store = open_store([str(path)])
    assert (store.rows, len(store.graphs)) == (3, 2)
    assert sorted(str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")) == ["inside", "inside/a"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_left_out_with_a_warning(tmp_path: Path, kind: bytes) -> None:
    secret = tmp_path / "secret.log"
    secret.write_bytes(log(9))
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of_links(kind, "plog-9_9.log", str(secret)) + tar_of({"plog-1_1.log": log(3)}))
    store = open_store([str(path)])
    assert store.rows == 3
    assert store.sources[0].warnings == [f"{path}: 1 links, devices and sparse files in it were left out"]


def test_a_link_in_a_zip_is_left_out_with_a_warning(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("plog-9_9.log")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("plog-1_1.log", log(3))
    path = tmp_path / "a.zip"
    path.write_bytes(file.getvalue())
    store = open_store([str(path)])
    assert (store.rows, len(store.sources[0].warnings)) == (3, 1)


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_bomb_of_records_is_stopped_at_the_limit_and_said(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack((line(1) + "\n").encode() * 100_000))
    store = open_store([str(path)], limits=SMALL)
    assert 0 < store.sources[0].size <= 2_000_000
    assert "unpacks to more than 50 times its size, as no log does; stopped after" in store.sources[0].broken


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_bomb_of_zeros_is_no_log(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(bytes(90_000)))
    with pytest.raises(InputError, match="is no log: its first 0 MiB are one line"):
        open_store([str(path)], limits=SMALL)


def test_a_bomb_in_a_zip_is_stopped_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zip_of({f"plog-{pid}_1.log": (line(1, pid) + "\n").encode() * 20_000 for pid in range(1, 9)}))
    store = open_store([str(path)], limits=SMALL)
    assert sum(source.size for source in store.sources) < 3_000_000
    assert "unpacks to more than 50 times its size" in store.sources[0].broken


def test_an_archive_of_too_many_members_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of({"plog-1_1.log": log(3)} | {f"{number}.txt": b"x" for number in range(50)}))
    store = open_store([str(path)], limits=SMALL)
    assert store.rows == 3
    assert "it has more than 20 members" in store.sources[0].broken


def test_a_header_without_end_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    giant = tarfile.TarInfo("x" * 200_000)
    path.write_bytes(tar_of({"plog-1_1.log": log(3)})[:1024] + giant.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    store = open_store([str(path)], limits=SMALL)
    assert store.rows == 3
    assert "a header of more than 0 MiB" in store.sources[0].broken


def test_the_spool_has_no_name_and_is_gone_with_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(log(1000)))
    store = open_store([str(path)])
    assert (store.rows, list(spool.iterdir())) == (1000, [])


_BOUNDED = """
import resource, sys
from getrace.replay import open_store
def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))
before = anonymous()
store = open_store([sys.argv[1]])
print(store.sources[0].size, anonymous() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much memory the process held")
def test_a_packed_log_is_unpacked_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.xz"
    text = b"".join(b"%d " % number + b"y" * 1000 + b"\n" for number in range(60_000))
    path.write_bytes(PACKERS["gz"](log(10) + text))
    done = subprocess.run([sys.executable, "-c", _BOUNDED, str(path)], capture_output=True, text=True, check=True)
    size, held = map(int, done.stdout.split())
    assert size > 60_000_000
    assert held < 50_000_000


@pytest.mark.parametrize(
    "data", [log(4), gzip.compress(log(4)), tar_of({"plog-1_1.log": log(4)})], ids=["plain", "gz", "tar"]
)
def test_a_pipe_whose_first_bytes_come_one_by_one_is_read(tmp_path: Path, data: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            for start in range(3):
                file.write(data[start : start + 1])
                done.wait(0.05)
            file.write(data[3:])

    done = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    store = open_store([str(pipe)])
    writer.join()
    assert store.rows == 4
