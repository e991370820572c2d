"""Sizes, docstrings, and what must not stand in the tree."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import ROOT, modules, python_files

FILE_LINES = 400
FUNCTION_LINES = 40
HEAPS = {"utils", "util", "helpers", "helper", "common", "misc"}

# Put together here, so that this file does not name them itself.
FORBIDDEN = re.compile(
    "|".join(
        (
            "/" + "work/",
            "/" + "root/",
            "/" + "opt/pypi",
            "/" + "tmp/(venv|notes|house)",
            r"pypi\." + "org",
            "python" + "hosted",
            "index" + "-url",
            "trusted" + "-host",
            r"\b(\d{1,3}\.){3}\d{1,3}:\d{2,5}/" + "simple",
        )
    )
)
TEXT = {".py", ".toml", ".md", ".txt", ".tcss", ".cfg", ".out", ".yml", ".yaml", ".dot", ""}
TOP = (".ci", "getrace", "runtime", "views", "samples", "tests", "pyproject.toml", "README.md", ".gitignore")


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def texts() -> Iterator[Path]:
    for top in TOP:
        start = ROOT / top
        paths = start.rglob("*") if start.is_dir() else [start]
        for path in paths:
            if path.is_file() and path.suffix in TEXT and "__pycache__" not in path.parts:
                yield path


def test_every_module_says_what_it_owns() -> None:
    assert [name for name, module in modules().items() if not ast.get_docstring(module.tree)] == []


def test_no_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > FILE_LINES} == {}


def test_no_function_is_longer_than_sixty_lines() -> None:
    long = [
        f"{module.name}.{function.name}: {lines}"
        for module in modules().values()
        for function in functions(module.tree)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    ]
    assert long == []


def test_no_module_is_a_heap_or_named_like_the_standard_library() -> None:
    # a module of the tree that only its package's name tells from the standard one still confuses a reader
    taken = HEAPS | set(sys.stdlib_module_names)
    assert sorted(name for name in modules() if name.rpartition(".")[2] in taken) == []


def test_no_path_of_a_machine_and_no_registry_stands_in_the_tree() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in texts()
        for match in FORBIDDEN.finditer(path.read_text(encoding="utf-8", errors="replace"))
    }
    assert sorted(found) == []


def test_nothing_is_left_to_do() -> None:
    mark = re.compile(r"#.*\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
    left = {str(path.relative_to(ROOT)) for path in python_files() if mark.search(path.read_text(encoding="utf-8"))}
    assert sorted(left) == []


def test_test_modules_have_names_of_their_own() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_tests_and_samples_are_no_packages() -> None:
    assert [path for folder in ("tests", "samples") for path in (ROOT / folder).rglob("__init__.py")] == []


def test_only_tests_that_read_cases_know_the_collection() -> None:
    word = "shared" + "/"
    knowing = [path.relative_to(ROOT) for path in python_files() if word in path.read_text(encoding="utf-8")]
    assert [str(path) for path in knowing if path.parts[0] != "tests"] == []


@pytest.mark.parametrize("package", ["getrace", "runtime", "views"])
def test_a_package_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
