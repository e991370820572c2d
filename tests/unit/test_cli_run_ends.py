"""How ``run`` ends: the memory it keeps, the user who leaves, the interrupt, and what is left of a bundle."""

import argparse
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_runs import add_model

from getrace.bus import Bus
from getrace.cli import main
from getrace.cli.answer import Tools
from getrace.cli.diagnostics import Diagnostics, ExitCode
from getrace.cli.last_step import LastStep
from getrace.cli.layout import Paint
from getrace.cli.verbs import run
from getrace.events import Level, Origin
from getrace.events.markers import KernelEnd
from getrace.store.live import LiveStore
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from views.tui import app
from views.tui.settings import Settings

Capture = pytest.CaptureFixture[str]


def model() -> Model:
    return Model("add", add_model((-1, 4)), {})


@pytest.mark.parametrize("steps", [0, 3])
def test_a_run_that_is_stopped_ends_before_its_next_step_and_unloads(steps: int) -> None:
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) == steps)
        return asked[-1]

    result = run_model(model(), RunOptions(steps=100_000_000), Bus(now=int), stop)
    assert (result.steps, result.stopped, result.status, result.leaked_bytes) == (steps, True, 0, 0)
    assert len(result.outputs) == (1 if steps else 0)


def test_a_run_that_nobody_stops_is_not_stopped() -> None:
    result = run_model(model(), RunOptions(steps=2), Bus(now=int))
    assert (result.steps, result.stopped) == (2, False)


def test_without_a_screen_only_the_load_and_one_step_are_kept() -> None:
    sizes = []
    for steps in (2, 50):
        bus, last = Bus(now=int), LastStep("add")
        bus.subscribe(last)
        run_model(model(), RunOptions(steps=steps), bus, last.next_step)
        sizes.append(last.store().rows)
    assert sizes[1] == sizes[0] == 132


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    run.arguments(parser)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--color", default="auto")
    return parser.parse_args(words)


def leave(code: int) -> Any:
    def screen(store: LiveStore, settings: Settings) -> int:
        waited = threading.Event()
        while not store.poll():
            waited.wait(0.001)
        settings.leaving()
        return code

    return screen


def on_a_terminal() -> Tools:
    return Tools(lambda _: LiveStore("", lambda *_: ""), Diagnostics(quiet=True), interactive=True)


def test_who_leaves_the_screen_hears_how_many_steps_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "open_app", leave(0))
    answer = run.answer(options("add_example", "--tui", "--steps", "100000000"), on_a_terminal())
    assert answer.code is ExitCode.INTERRUPTED
    first = next(iter(answer.text(Paint(on=False))))
    assert first == f"STOPPED  add_example  {answer.data['steps']} of 100000000 steps, then you left"


def test_ctrl_c_in_the_screen_is_an_interrupt_and_leaves_the_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(app, "open_app", leave(130))
    words = ("add_example", "--tui", "--steps", "100000000", "--out", str(tmp_path / "B"))
    with pytest.raises(KeyboardInterrupt):
        run.answer(options(*words), on_a_terminal())
    assert len(list((tmp_path / "B" / "debug" / "plog").iterdir())) >= 1
    assert not (tmp_path / "B" / ".partial").exists()


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_run_keeps_the_bundle_before_or_else_its_own_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    root = tmp_path / "B"
    assert main(["run", "add_example", "--no-tui", "--out", str(root)]) == 0
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    monkeypatch.setattr(LastStep, "next_step", interrupt)
    for out in (root, tmp_path / "C"):
        assert main(["run", "add_example", "--no-tui", "--seed", "7", "--out", str(out)]) == 130
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    kept = {path.relative_to(tmp_path / "C").parent.as_posix() for path in (tmp_path / "C").rglob("*.*")}
    assert kept == {".", "debug/plog", "graphs"}
    assert capsys.readouterr().err.splitlines() == [
        f"getrace: interrupted in load, 79 events; {root} keeps the run before",
        f"getrace: interrupted in load, 79 events; the log so far is in {tmp_path / 'C'}",
    ]


def test_a_step_without_end_keeps_its_last_events_and_says_how_far_it_is() -> None:
    bus, last = Bus(now=int), LastStep("add", most=5)
    bus.subscribe(last)
    last.next_step()
    for number in range(1_000):
        bus.publish(Origin(1, "p", 1, "main"), Level.INFO, str(number), KernelEnd())
    assert (last.store().rows, last.how_far) == (5, "step 1, 1,000 events")


def test_what_a_killed_run_left_is_replaced_by_the_next(tmp_path: Path) -> None:
    root = tmp_path / "B"
    (root / ".partial" / "graphs").mkdir(parents=True)
    (root / ".partial" / "bundle.txt").write_text("made by getrace")
    (root / ".partial" / "graphs" / "ge_proto_9.txt").write_text("half")
    assert main(["run", "add_example", "--no-tui", "--out", str(root)]) == 0
    assert sorted(path.name for path in root.iterdir()) == ["bundle.txt", "debug", "graphs", "inputs", "outputs"]
    assert not list(root.rglob("ge_proto_9.txt"))
    assert np.load(root / "inputs" / "x1.npy").shape == (2, 1024)
