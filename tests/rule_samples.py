"""The hand-made lines of ``rule_lines.toml``, as records and as logs."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PREFIX = "[{level}] {module}(4242,shop):2026-03-01-10:00:00.{number:03d}.000 [shop.cc:{number}]4243 {text}"


@dataclass(frozen=True)
class Sample:
    """A line that fires a rule and one that does not; without a module it is an application's."""

    rule: str
    fires: str
    silent: str
    module: str = ""
    level: str = "ERROR"

    def log(self, text: str) -> str:
        """A log with the line in it: its own record, or words behind a record of a module that no rule names."""
        start = _PREFIX.format(level="EVENT", module="SHOP", number=1, text="open: the shop is open")
        line = _PREFIX.format(level=self.level, module=self.module, number=2, text=text) if self.module else text
        return f"{start}\n{line}\n"


@cache
def rule_samples() -> tuple[Sample, ...]:
    data = tomllib.loads((Path(__file__).parent / "rule_lines.toml").read_text(encoding="utf-8"))
    return tuple(Sample(**row) for row in data["line"])
