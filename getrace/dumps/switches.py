"""GE's dump switches as one record: what is dumped, how much of it, in which formats, and where.

The switches are environment variables of the process that lowers a model; here they are read from a mapping that the
command line gives. What GE does not know it ignores, and so does this module, but it says so in ``warnings``.

Source: spec/lowering.md 9.2, spec/formats.md 3.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from getrace.dumps.formats import FORMATS
from getrace.dumps.level import Level

WHITE_LIST = frozenset(
    {
        "PreRunBegin",
        "PreRunAfterNormalizeGraph",
        "AfterInfershape",
        "PreRunAfterPrepare",
        "PreRunAfterOptimizeOriginalGraph",
        "PreRunAfterOptimizeAfterStage1",
        "PreRunAfterOptimizeSubgraph",
        "PreRunAfterOptimizeGraphBeforeBuild",
        "Build",
        "ComputeGraphBeforeLowering",
        "ExeGraphBeforeOptimize",
        "ExecuteGraphAfterSplit",
    }
)
"""Stages that are dumped when ``DUMP_GRAPH_LEVEL`` says nothing."""

WHITE_PARTS = ("AutoFuseBeforeOptimize", "AutoFuseAfterOptimize", "RunCustomPass")
BLACK_PARTS = ("partition", "OptimizeSubGraph", "sub_graph", "Aicpu")
"""Parts of the stages that level 1 leaves out; with ``Aicpu`` goes ``AfterAicpuFuseHostInputs``."""

DEFAULT_FORMATS = ("ge_proto", "onnx")

_ONE_STAGE = {"3": "Build", "4": "PreRunBegin"}


@dataclass(frozen=True, slots=True)
class DumpSwitches:
    """What to dump. ``stages`` is the text of ``DUMP_GRAPH_LEVEL``; a limit of 0 is none.

    ``collect_path``, ``graph_path`` and ``work_path`` are those of the environment, "" when it does not say.
    """

    level: Level = Level.NONE
    stages: str = ""
    formats: tuple[str, ...] = DEFAULT_FORMATS
    collect_path: str = ""
    graph_path: str = ""
    work_path: str = ""
    max_files: int = 0
    max_bytes: int = 0
    warnings: tuple[str, ...] = ()

    def wants(self, stage: str) -> bool:
        """Whether a stage is dumped."""
        if self.level is Level.NONE:
            return False
        if self.stages in ("", "2"):
            return stage in WHITE_LIST or any(part in stage for part in WHITE_PARTS)
        if self.stages == "1":
            return not any(part in stage for part in BLACK_PARTS)
        if self.stages in _ONE_STAGE:
            return stage == _ONE_STAGE[self.stages]
        return any(part in stage for part in self.stages.split("|") if part)

    def folder(self, pid: int, device_id: int = 0) -> Path:
        """Give the folder of the dumps of a process."""
        if self.collect_path:
            return Path(self.collect_path) / "extra-info" / "graph" / f"{pid}_{device_id}"
        if self.graph_path:
            return Path(self.graph_path) / f"pid_{pid}_deviceid_{device_id}"
        return Path(self.work_path or ".")


def read_switches(environment: Mapping[str, str], options: Mapping[str, str] | None = None) -> DumpSwitches:
    """Read the switches; ``options`` are GE's session options (``ge.maxDumpFileNum``, ``ge.maxDumpFileSize``).

    Never fails: a value that GE does not know switches off what it would switch on, and is named in ``warnings``.
    """
    warnings: list[str] = []
    level = _level(environment.get("DUMP_GE_GRAPH", ""), warnings)
    limits = options or {}
    return DumpSwitches(
        level,
        environment.get("DUMP_GRAPH_LEVEL", "").strip(),
        _formats(environment.get("DUMP_GRAPH_FORMAT", ""), warnings if level else []),
        environment.get("NPU_COLLECT_PATH", ""),
        environment.get("DUMP_GRAPH_PATH", ""),
        environment.get("ASCEND_WORK_PATH", ""),
        _limit(limits, "ge.maxDumpFileNum", warnings),
        _limit(limits, "ge.maxDumpFileSize", warnings),
        tuple(warnings),
    )


def _level(text: str, warnings: list[str]) -> Level:
    known = {str(int(level)): level for level in Level}
    found = known.get(text.strip() or "0")
    if found is None:
        warnings.append(f"DUMP_GE_GRAPH={text} is not 1, 2 or 3: no graph is dumped")
        return Level.NONE
    return found


def _formats(text: str, warnings: list[str]) -> tuple[str, ...]:
    if not text.strip():
        return DEFAULT_FORMATS
    words = [word.strip().lower() for word in text.split("|") if word.strip()]
    known = [row.word for row in FORMATS]
    warnings += [
        f"DUMP_GRAPH_FORMAT: there is no format {word!r}; known are {', '.join(known)}"
        for word in words
        if word not in known
    ]
    return tuple(word for word in known if word in words)


def _limit(options: Mapping[str, str], name: str, warnings: list[str]) -> int:
    text = options.get(name, "0")
    if text.isascii() and text.isdecimal():
        return int(text)
    warnings.append(f"{name}={text} is no number: there is no limit")
    return 0
