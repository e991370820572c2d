"""The rooms are ours, and the samples are found."""

from pathlib import Path, PurePosixPath

import pytest

import getrace
from getrace.errors import UsageError
from getrace.rooms import check_rooms, is_sample, samples_folder

HOME = Path(getrace.__file__).resolve().parent.parent


def test_our_own_rooms_are_accepted() -> None:
    check_rooms()


@pytest.mark.parametrize("origin", ["views.py", "somewhere/views/__init__.py"])
def test_somebody_elses_views_is_refused_with_its_place(origin: str, tmp_path: Path) -> None:
    def find(room: str) -> str | None:
        return str(tmp_path / origin) if room == "views" else str(HOME / room / "__init__.py")

    with pytest.raises(UsageError, match="hides the package 'views' of getrace") as caught:
        check_rooms(find=find)
    assert str(tmp_path / origin) in caught.value.message


def test_a_missing_room_is_named() -> None:
    def find(_room: str) -> str | None:
        return None

    with pytest.raises(UsageError, match="'runtime' of getrace is not installed"):
        check_rooms(find=find)


def test_the_samples_of_a_checkout_are_beside_the_packages() -> None:
    if not (HOME / "samples").is_dir():
        pytest.skip("this is no checkout")
    assert samples_folder() == HOME / "samples"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("../../../share/getrace/samples/add_example.py", True),
        ("../../../share/getrace/samples/add_example.out", False),
        ("../../../share/getrace/samples/__pycache__/add_example.cpython-311.pyc", False),
        ("getrace/cli/verbs/run.py", False),
        ("samples/add_example.py", False),
    ],
)
def test_a_sample_of_the_wheel_is_told_from_what_lies_beside_it(file: str, *, expected: bool) -> None:
    assert is_sample(PurePosixPath(file)) is expected
