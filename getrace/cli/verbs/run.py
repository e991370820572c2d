"""``getrace run``: a model lowered, loaded, executed and unloaded on the simulated device."""

import hashlib
import os
import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import Failure
from getrace.bus import Bus
from getrace.cli.answer import Answer, Tools
from getrace.cli.bundle import Bundle
from getrace.cli.diagnostics import Diagnostics, ExitCode
from getrace.cli.dumping import dumper_of_process
from getrace.cli.envelope import Json, clean, duration_json
from getrace.cli.last_step import LastStep
from getrace.cli.layout import Paint, columns, counted, duration_text, size_text
from getrace.cli.live_run import LiveRun
from getrace.cli.log_levels import levels_of_process
from getrace.cli.models import find_model
from getrace.clock import parse_time
from getrace.errors import UsageError
from getrace.plog.spelling import spell_line
from getrace.store.live import LiveStore
from runtime.api.executor_choice import EXECUTORS, choose, thread_warning
from runtime.api.ge_process import DEFAULT_START_NS
from runtime.api.inputs import Array
from runtime.api.simulate import RunOptions, RunResult, run_model
from runtime.api.support import OTHER_CHIP, runs_on
from runtime.device.fault_spec import KINDS
from runtime.device.profile_file import profile_of

if TYPE_CHECKING:
    from runtime.api.models import Model

EXAMPLES = (
    "getrace run add_example --no-tui",
    "getrace run add_example --input x1=4x16 --input x2=4x16 --steps 3 --out bundle",
)


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a sample, a .py with build(), .onnx, .om, or a dump")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=SHAPE[:DTYPE]|NAME=FILE.npy",
        help="what to feed an input; may be given several times",
    )
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="how often to execute (default: 1)")
    _device_arguments(parser)
    parser.add_argument(
        "--executor", choices=EXECUTORS, help="what runs the main graph (default: what GE would choose for it)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the multithread executor (default: 2)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what ids, addresses and data come from")
    parser.add_argument(
        "--strict-opset", action="store_true", help="refuse an ONNX model of a version that real GE refuses"
    )
    parser.add_argument("--start-time", metavar="T", help="the wall time at the start, ISO 8601 or as plog has it")
    parser.add_argument("--out", metavar="DIR", help="write a bundle: plogs, graph dumps, inputs and outputs")
    screen = parser.add_mutually_exclusive_group()
    screen.add_argument("--tui", action="store_true", help="look at the run in the terminal")
    screen.add_argument("--no-tui", action="store_true", help="print the summary, also on a terminal")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII signs only")
    parser.add_argument("--light", action="store_true", help="colours for a light terminal")


def _device_arguments(parser: ArgumentParser) -> None:
    """Declare what concerns the device, and what shall go wrong on it."""
    parser.add_argument(
        "--device",
        default=RunOptions().profile,
        metavar="PROFILE",
        help="the device to simulate: a profile, or a .toml file with changes",
    )
    parser.add_argument(
        "--multi-stream",
        action="store_true",
        help="spread a model of one stream over several; inputs lie on the device",
    )
    parser.add_argument(
        "--external-allocator", action="store_true", help="let the caller bring the allocator of device memory"
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND[@NAME][#N][:VALUE]",
        help=f"let something go wrong; may be given several times. KIND: {', '.join(KINDS)}",
    )


def answer(options: Namespace, tools: Tools) -> Answer:
    """Run the model: exit 0 when every kernel succeeded, 1 when one failed, 130 when the user left before the end."""
    on_screen = _wants_screen(options, tools)
    wanted = _run_options(options)
    model = find_model(options.model, strict_opset=options.strict_opset)
    bus = Bus(now=int, levels=levels_of_process())
    warnings = list(model.warnings)
    warnings += _doubts(model, options.model, wanted)
    dumper = dumper_of_process(warnings)
    if not dumper.is_off:
        bus.subscribe(dumper)
        wanted = replace(wanted, all_stages=True)
    with nullcontext() if options.out is None else Bundle(Path(options.out)) as bundle:
        if bundle is not None:
            bundle.listen(bus)
        if on_screen:
            result, store = _run_on_screen(model, wanted, bus, options)
        else:
            result, store = _run_unseen(model, wanted, bus, tools.diagnostics, bundle)
        if bundle is not None:
            bundle.finish(result.snapshots, result.inputs, result.outputs, torn=result.killed)
    dumper.finish()
    warnings += [f"a listener failed and was taken off: {failure.error}" for failure in bus.failures]
    warnings += result.unmet
    failure = diagnose(store).failure if result.status else None
    data = _data(result, failure, options.out)

    def text(paint: Paint) -> Iterator[str]:
        return _text(model.name, result, failure, wanted.steps, options.out, paint)

    return Answer(_code(result), data, text, (), warnings)


def _doubts(model: "Model", path: str, wanted: RunOptions) -> Iterator[str]:
    """Say what a person should know before the run; it runs all the same."""
    if crowded := thread_warning(wanted.executor, os.cpu_count() or 1):
        yield crowded
    profile = profile_of(wanted.profile)
    if not runs_on(model.made_for, profile):
        yield (
            f"{Path(path).name} was compiled for {model.made_for}, the device is {profile.soc}: "
            f"GE refuses it with '{OTHER_CHIP}'"
        )


def _code(result: RunResult) -> ExitCode:
    if result.status:
        return ExitCode.FOUND
    return ExitCode.INTERRUPTED if result.stopped else ExitCode.FINE


def _wants_screen(options: Namespace, tools: Tools) -> bool:
    if options.tui and (options.json or not tools.interactive):
        raise UsageError("--tui needs a terminal and no --json", "use --no-tui to print the summary")
    return bool(
        options.tui
        or (tools.interactive and not options.no_tui and not options.json and _can_show(ascii_only=options.ascii))
    )


def _can_show(*, ascii_only: bool) -> bool:
    """Whether the terminal can show the screens; where it cannot, a run prints its summary."""
    from views.tui.terminal import refuse_what_cannot_show  # noqa: PLC0415 - wanted only on a terminal

    size = shutil.get_terminal_size()
    try:
        refuse_what_cannot_show(os.environ, (size.columns, size.lines), ascii_only=ascii_only)
    except UsageError:
        return False
    return True


def _run_options(options: Namespace) -> RunOptions:
    if options.steps < 0:
        raise UsageError(f"--steps {options.steps} is less than nothing", "give 0 to load and unload only")
    if options.seed < 0:
        raise UsageError(f"--seed {options.seed} is less than nothing", "give 0 or a larger number")
    if options.out == "":
        raise UsageError("--out names no folder", "give the path of a new or an empty folder")
    start = DEFAULT_START_NS
    if options.start_time is not None:
        try:
            start = parse_time(options.start_time)
        except ValueError:
            raise UsageError(
                f"--start-time {options.start_time!r} is no time",
                "write 2026-03-05T10:11:12 or 2026-03-05-10:11:12, from 1970 to 2261",
            ) from None
    return RunOptions(
        profile=options.device,
        seed=options.seed,
        start_time_ns=start,
        steps=options.steps,
        inputs=tuple(options.input),
        faults=tuple(options.fault),
        multi_stream=options.multi_stream,
        external_allocator=options.external_allocator,
        executor=choose(options.executor, options.threads, options.seed),
    )


def _run_unseen(
    model: "Model", wanted: RunOptions, bus: Bus, diagnostics: Diagnostics, bundle: Bundle | None
) -> tuple[RunResult, LiveStore]:
    last = LastStep(model.name)
    bus.subscribe(last)
    try:
        with diagnostics.progress("running", lambda: last.how_far):
            result = run_model(model, wanted, bus, last.next_step)
    except KeyboardInterrupt:
        left = "" if bundle is None else f"; {bundle.left_by_interrupt}"
        diagnostics.note(f"interrupted in {last.how_far}{left}")
        raise
    return result, last.store()


def _run_on_screen(model: "Model", wanted: RunOptions, bus: Bus, looks: Namespace) -> tuple[RunResult, LiveStore]:
    """Run while the screen is looked at; raises KeyboardInterrupt when it was left with Ctrl-C."""
    from views.tui.app import open_app  # noqa: PLC0415 - brings textual, wanted only when a screen opens
    from views.tui.settings import Settings  # noqa: PLC0415 - the same

    store = LiveStore(model.name, spell_line)
    bus.subscribe(store)
    run = LiveRun(lambda stop: run_model(model, wanted, bus, stop), store)
    run.start()
    given = Settings(
        model.name,
        live=True,
        ended=run.verdict,
        leaving=run.leave,
        ascii_only=looks.ascii,
        light=looks.light,
        no_colour=looks.color == "never",
    )
    code = open_app(store, given)
    result = run.stop()
    if code:
        raise KeyboardInterrupt
    store.poll()
    return result, store


def _data(result: RunResult, failure: Failure | None, out: str | None) -> Json:
    return {
        "outputs": [
            {
                "name": name,
                "shape": list(array.shape),
                "dtype": array.dtype.name,
                "sha256": hashlib.sha256(array.tobytes()).hexdigest(),
            }
            for name, array in result.outputs.items()
        ],
        "steps": result.steps,
        "kernels": result.kernels,
        "nodes": result.nodes,
        "peak_bytes": result.peak_bytes,
        "leaked_bytes": result.leaked_bytes,
        "device_time": duration_json(result.device_time_ns, "simulated"),
        "status": result.status,
        "fault": result.fault or None,
        "failure": None if failure is None else _failure_json(failure),
        "bundle": out,
    }


def _failure_json(failure: Failure) -> Json:
    said = None if failure.error is None else clean(failure.error.text)
    return {"phase": failure.phase, "kernel": failure.kernel, "op": failure.op, "error": said}


def _shape_text(array: Array) -> str:
    return "x".join(map(str, array.shape)) or "scalar"


def _array_text(array: Array) -> str:
    return f"{array.dtype.name} {_shape_text(array)}  sha256 {hashlib.sha256(array.tobytes()).hexdigest()[:16]}"


def _headline(name: str, result: RunResult, wanted: int, paint: Paint) -> str:
    steps, bold = counted(result.steps, "step"), paint("bold", name)
    if result.status:
        return f"{paint('red', f'FAILED with status {result.status}')}  {bold}  {steps}"
    if result.stopped:
        return f"{paint('yellow', 'STOPPED')}  {bold}  {result.steps} of {counted(wanted, 'step')}, then you left"
    return f"{paint('green', 'OK')}  {bold}  {steps}"


def _text(
    name: str, result: RunResult, failure: Failure | None, wanted: int, out: str | None, paint: Paint
) -> Iterator[str]:
    yield _headline(name, result, wanted, paint)
    if failure is not None:
        yield f"  {failure.kernel or 'no kernel is named'} at {failure.phase}"
        if failure.error is not None:
            yield f"  {failure.error.head}"
    if result.fault:
        yield f"  {result.fault}"
    nodes = ", ".join(f"{stage} {count}" for stage, count in result.nodes.items())
    rows = [(f"input {key}", f"{array.dtype.name} {_shape_text(array)}") for key, array in result.inputs.items()]
    rows += [(f"output {key}", _array_text(array)) for key, array in result.outputs.items()]
    rows.append(("kernels", f"{result.kernels} executed (nodes: {nodes})"))
    rows.append(("memory", f"peak {size_text(result.peak_bytes)}, leaked {size_text(result.leaked_bytes)}"))
    rows.append(("device", f"{duration_text(result.device_time_ns)} (simulated)"))
    if out:
        rows.append(("bundle", out))
    yield from columns(rows)
    if out:
        yield f"  -> look at it: getrace open {out}; ask it: getrace diagnose {out}"
