"""Every kernel type that is said to run is run by a test of this folder."""

from pathlib import Path

import pytest

from runtime.kernels.catalogue import catalogue

HERE = Path(__file__).parent


@pytest.mark.parametrize("family", sorted({entry.family for entry in catalogue() if entry.runs}))
def test_each_running_type_of_a_family_has_a_row(family: str) -> None:
    rows = "".join(path.read_text() for path in sorted(HERE.glob("test_family_*.py")))
    running = [entry.type for entry in catalogue() if entry.family == family and entry.runs]
    assert [name for name in running if f'"{name}"' not in rows] == []


def test_the_families_of_values_shapes_tiling_launches_and_control_run_whole() -> None:
    idle = [entry.type for entry in catalogue() if entry.family in "AFGHIJKOP" and not entry.runs]
    assert idle == []
