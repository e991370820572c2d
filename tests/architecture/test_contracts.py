"""The contracts of import-linter in pyproject.toml hold."""

import re
import subprocess
import sys
from pathlib import Path

from source_tree import ROOT


def test_import_linter_keeps_every_contract() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [tool, "--no-cache", "--no-logo", "pyproject.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert re.findall(r"^(.*) BROKEN", done.stdout, re.MULTILINE) == []
    assert "0 broken" in done.stdout, done.stdout + done.stderr
