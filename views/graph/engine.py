"""The layout engine: finding one, and running it with a time limit.

An engine is a foreign program that may be absent, fail, or think for an hour. This is the only module that starts a
process, so there is one place to read when a drawing does not come back.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from getrace.errors import UsageError

VARIABLE = "GETRACE_DOT"
TIME_LIMIT = 60.0
"""Seconds for one layout unless the caller says otherwise."""

_BUNDLED = "graphviz-pure"
_SYSTEM = "dot"
_STDERR_SHOWN = 300
_ERROR = "Error:"


class EngineError(UsageError):
    """The layout engine is missing, failed, or took too long: another engine, or a smaller picture, is the way out."""


class LayoutFailedError(EngineError):
    """The engine ran and gave up on this very text: other settings, or fewer nodes, may do."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What an engine made: the bytes of the picture, the engine's name, and the milliseconds it ran."""

    data: bytes
    engine: str
    layout_ms: float


def find_engine(environment: Mapping[str, str] | None = None) -> str:
    """Give the path of an engine: ``$GETRACE_DOT``, ``graphviz-pure`` beside Python or on PATH, then ``dot``.

    Raises UsageError when the variable names nothing that runs, EngineError when there is no engine at all.
    """
    settings = os.environ if environment is None else environment
    path = settings.get("PATH", "")
    chosen = settings.get(VARIABLE, "")
    if chosen:
        found = shutil.which(chosen, path=path)
        if found is None:
            raise UsageError(f"{VARIABLE} names {chosen!r}, which is no program", "name a Graphviz dot, or unset it")
        return found
    beside = os.pathsep.join((str(Path(sys.executable).parent), sysconfig.get_path("scripts")))
    candidates = ((_BUNDLED, beside), (_BUNDLED, path), (_SYSTEM, path))
    found = next(filter(None, (shutil.which(name, path=where) for name, where in candidates)), None)
    if found is None:
        raise EngineError(
            f"no layout engine: neither {_BUNDLED} nor {_SYSTEM} is installed",
            f"pip install {_BUNDLED}, or set {VARIABLE} to a Graphviz dot, or write a .dot file",
        )
    return found


def run_engine(engine: str, source: str, kind: str, time_limit: float = TIME_LIMIT) -> Rendered:
    """Lay out DOT text and give the picture in ``kind`` (``svg``, ``png``).

    Raises LayoutFailedError when the engine fails; EngineError when it cannot be started, or runs longer than
    ``time_limit`` seconds: it and what it started are killed then, and also when the caller is interrupted.
    """
    name = Path(engine).name
    started = time.perf_counter()
    try:
        process = subprocess.Popen(  # noqa: S603 -- the user's own choice of engine, no shell
            [engine, f"-T{kind}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise EngineError(f"cannot start {engine}: {error.strerror}", f"set {VARIABLE} to a Graphviz dot") from error
    output, complaints = _finish(process, source.encode(), name, time_limit)
    layout_ms = round((time.perf_counter() - started) * 1000, 1)
    if process.returncode != 0 or not output:
        raise LayoutFailedError(
            f"{name} ended with {process.returncode} and {len(output)} bytes: {_last_words(complaints)}",
            f"lower --max-nodes, set {VARIABLE} to a Graphviz dot, or write a .dot file to see what it was given",
        )
    return Rendered(output, name, layout_ms)


def _finish(process: subprocess.Popen[bytes], source: bytes, name: str, time_limit: float) -> tuple[bytes, bytes]:
    with process:
        try:
            return process.communicate(source, timeout=time_limit)
        except subprocess.TimeoutExpired as late:
            raise EngineError(
                f"{name} was stopped after {time_limit:g} s: {_last_words(late.stderr or b'')}",
                f"draw one stage, lower --max-nodes, set {VARIABLE} to a Graphviz dot (faster), or write a .dot file",
            ) from None
        finally:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the engine and its children; one that has ended already is left alone."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):  # it ended between the question and the signal
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _last_words(complaints: bytes) -> str:
    said = [line.strip() for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    # Graphviz lists the nodes it could not rank after the sentence that says so: a thousand lines of keys.
    lines = list(dict.fromkeys(line for line in said if line.startswith(_ERROR))) or said
    return " / ".join(lines[-3:])[-_STDERR_SHOWN:] or "it said nothing"
