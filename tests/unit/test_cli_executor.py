"""``getrace run --executor`` and ``--threads``: what each choice gives, and what does not go together."""

import json
from pathlib import Path

import pytest
from api_calls import add_of, om_bytes

from getrace.cli import main
from runtime.api.executor_choice import EXECUTORS, choose, lowering_for, thread_warning
from runtime.engines.options import LoweringOptions
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption

Capture = pytest.CaptureFixture[str]


def log_of(root: Path) -> str:
    return "".join(path.read_text() for path in sorted(root.rglob("plog-*.log")))


@pytest.mark.parametrize(
    ("model", "word", "main_executor"),
    [
        ("add_example", "sequential", "sequential-executor"),
        ("add_example", "topological", "general-topo-executor"),
        ("add_example", "priority", "priority-topo-executor"),
        ("conditional", "topological", "general-topo-executor"),
        ("conditional", "priority", "priority-topo-executor"),
    ],
)
def test_the_choice_counts_for_main_and_changes_no_number(
    model: str, word: str, main_executor: str, tmp_path: Path, capsys: Capture
) -> None:
    outputs = []
    for name, choice in (("chosen", ["--executor", word]), ("default", [])):
        assert main(["run", model, "--json", "--out", str(tmp_path / name), *choice]) == 0
        outputs.append(json.loads(capsys.readouterr().out)["data"]["outputs"])
    assert outputs[0] == outputs[1]
    chosen = [
        line.split("Select executor type ")[1].split()[0]
        for line in log_of(tmp_path / "chosen").splitlines()
        if "Select executor type" in line
    ]
    assert chosen == ["sequential-executor", main_executor, "sequential-executor"]


@pytest.mark.parametrize("model", ["add_example", "conditional"])
def test_threads_repeat_byte_for_byte_and_change_no_number(model: str, tmp_path: Path, capsys: Capture) -> None:
    choice = ["--executor", "multithread", "--threads", "3", "--steps", "2"]
    found, logs = [], []
    for name, more in (("one", choice), ("two", choice), ("plain", ["--steps", "2"])):
        assert main(["run", model, "--json", "--quiet", "--out", str(tmp_path / name), *more]) == 0
        found.append(json.loads(capsys.readouterr().out)["data"]["outputs"])
        logs.append(log_of(tmp_path / name))
    assert found[0] == found[1] == found[2]
    assert logs[0] == logs[1]
    assert "Select executor type multi-thread-topo-executor for graph" in logs[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["conditional", "--executor", "sequential"],
            "the sequential executor cannot run control flow: node If_total_115 of type If stands in Main",
        ),
        (
            ["add_example", "--executor", "multithread", "--threads", "1"],
            "new thread num is less than least 2: --threads 1",
        ),
        (["add_example", "--executor", "multithread", "--threads", "9999"], "--threads 9999 is more than 1024"),
        (["add_example", "--threads", "4"], "--threads is for the multithread executor alone"),
        (
            ["add_example", "--executor", "priority", "--threads", "4"],
            "--threads is for the multithread executor alone",
        ),
    ],
)
def test_what_does_not_go_together_is_wrong_usage_with_a_sentence(
    arguments: list[str], said: str, capsys: Capture
) -> None:
    assert main(["run", *arguments, "--no-tui"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    sentence, hint = err.splitlines()
    assert sentence == f"getrace: {said}"
    assert hint.startswith("  -> ")


def test_an_executor_that_there_is_not(capsys: Capture) -> None:
    assert main(["run", "add_example", "--executor", "parallel"]) == 2
    assert "parallel" in capsys.readouterr().err


def test_more_threads_than_cores_is_a_warning(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert main(["run", "add_example", "--json", "--executor", "multithread", "--threads", "4"]) == 0
    said = json.loads(capsys.readouterr().out)["warnings"]
    assert said == ["4 threads on 3 cores: they take turns, and times are those of a larger machine"]


def test_as_many_threads_as_cores_is_none() -> None:
    assert thread_warning(choose("multithread", 4, 0), 4) is None
    assert thread_warning(ExecutorOption(), 1) is None


def test_the_words_and_what_they_mean() -> None:
    assert choose(None, None, 3) == ExecutorOption()
    assert choose("priority", None, 3) == ExecutorOption(ExecutorKind.PRIORITY)
    assert choose("multithread", None, 3) == MultiThreadExecutorOption(thread_num=2, seed=3)
    assert choose("multithread", 5, 3) == MultiThreadExecutorOption(thread_num=5, seed=3)
    assert list(EXECUTORS) == ["sequential", "topological", "priority", "multithread"]


def test_threads_change_the_lowering() -> None:
    assert lowering_for(choose("multithread", 4, 0), LoweringOptions()).max_runtime_core_number == 4
    plain = LoweringOptions()
    assert lowering_for(choose("priority", None, 0), plain) is plain


def test_a_model_file_of_a_version_that_is_none(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "new.om"
    content = bytearray(om_bytes(add_of(-1)))
    content[8:12] = (0x30000000).to_bytes(4, "little")
    path.write_bytes(content)
    assert main(["run", str(path), "--no-tui"]) == 3
    said = capsys.readouterr().err.splitlines()[0]
    assert said == f"getrace: {path}, offset 8: the header has version 0x30000000, which GE never wrote"


@pytest.mark.parametrize(
    ("soc", "warned"), [("Ascend310P3", True), ("Ascend910B1", False), ("Ascend910B4-1", False), ("", False)]
)
def test_a_model_of_another_chip_runs_with_the_warning_that_ge_would_refuse_it(
    soc: str, warned: bool, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "other.om"
    path.write_bytes(om_bytes(add_of(-1), **({"soc_version": soc} if soc else {})))
    assert main(["run", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["warnings"]
    text = (
        f"{path.name} was compiled for {soc}, the device is ascend910b: GE refuses it with "
        "'Model soc version is not support in this device.'"
    )
    assert said == ([text] if warned else [])
