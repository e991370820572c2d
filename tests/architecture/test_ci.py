"""The checks of a fresh checkout: the same command as in the README, and versions that are pinned."""

import os
import re
import tomllib

from source_tree import ROOT

TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def pins() -> list[str]:
    return (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert TEST_COMMAND in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert TEST_COMMAND in (ROOT / "README.md").read_text(encoding="utf-8")


def test_ci_can_be_started() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_constraints_are_names_and_versions_only() -> None:
    assert [pin for pin in pins() if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", pin)] == []


def test_every_requirement_of_the_tests_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {name_of(text) for text in (*project["dependencies"], *project["optional-dependencies"]["test"])}
    assert sorted(wanted - {name_of(pin) for pin in pins()} - {"getrace"}) == []
