"""What is installed: the three packages, their data, and nothing that lies beside them."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from source_tree import PACKAGES, ROOT

INPUTS = (*PACKAGES, "samples", "tests", "pyproject.toml", "README.md")
SKIPPED = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")


def built(folder: Path, **variables: str) -> list[str]:
    """Build the wheel in a copy, because setuptools leaves its work where it is started; give its members."""
    copy, out = folder / "tree", folder / "wheel"
    copy.mkdir()
    out.mkdir()
    for name in INPUTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=SKIPPED)
        elif (ROOT / name).is_file():
            shutil.copy(ROOT / name, copy / name)
    done = subprocess.run(
        [sys.executable, "-c", f"import setuptools.build_meta as hooks; hooks.build_wheel({str(out)!r})"],
        cwd=copy,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = out.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return built(tmp_path_factory.mktemp("built"))


def test_the_wheel_holds_the_three_packages_and_their_description(contents: list[str]) -> None:
    tops = {name.partition("/")[0] for name in contents}
    version = next(top for top in tops if top.endswith(".dist-info")).removesuffix(".dist-info")
    assert tops - {f"{version}.data"} == {"getrace", "runtime", "views", f"{version}.dist-info"}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_wheel_says_that_a_package_is_typed(contents: list[str], package: str) -> None:
    assert f"{package}/py.typed" in contents


def test_every_module_style_sheet_and_table_is_in_the_wheel(contents: list[str]) -> None:
    wanted = [
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for pattern in ("*.py", "*.tcss", "*.toml")
        for path in (ROOT / package).rglob(pattern)
    ]
    assert sorted(set(wanted) - set(contents)) == []


def test_the_samples_are_data_of_the_wheel(contents: list[str]) -> None:
    wanted = {path.name for path in (ROOT / "samples").glob("*.py")}
    held = {Path(name).name for name in contents if ".data/data/share/getrace/samples/" in name}
    assert sorted(wanted - held) == []


def test_no_test_and_nothing_hidden_is_in_the_wheel(contents: list[str]) -> None:
    assert [name for name in contents if "tests/" in name or "/." in name or "__pycache__" in name] == []


def test_without_a_compiler_the_wheel_is_built_without_the_compiled_scanner(tmp_path: Path) -> None:
    contents = built(tmp_path, CC="false")
    assert "getrace/plog/scan_native.py" in contents
    assert [name for name in contents if name.endswith(".so")] == []


@pytest.mark.skipif(
    shutil.which("cc") is None or not Path(sysconfig.get_path("include"), "Python.h").is_file(),
    reason="no C compiler or no headers of Python here",
)
def test_with_a_compiler_the_compiled_scanner_is_in_the_wheel_for_the_stable_abi(contents: list[str]) -> None:
    assert [name for name in contents if name.startswith("getrace/plog/_native")] == ["getrace/plog/_native.abi3.so"]
