"""Real text dumps, cut: a graph or a sentence with its place, wherever the file ends."""

import random
import re
from pathlib import Path

import pytest

from getrace.dumps.ge_onnx import parse_ge_onnx
from getrace.dumps.ge_proto import parse_ge_proto
from getrace.dumps.graph_json import parse_graph_json
from getrace.errors import InputError

pytestmark = pytest.mark.real

PLACES = 2_000
FILES = ("03", "26", "122")
"""Read in every run; ``long`` reads the others."""
OTHERS = ("04", "05", "06", "118", "120")
SMALL = "26"
"""Below 20 kB: cut at every byte."""


def is_read(number: str, content: bytes) -> bool:
    """Whether a cut file is read; when it is not, the sentence says where and what next."""
    try:
        if number == "122":
            parse_graph_json(content, "cut")
        else:
            (parse_ge_onnx if number in ("03", "04") else parse_ge_proto)(content, "", "cut")
    except InputError as error:
        if not re.match(r"cut(, line \d+: |: .*char \d+)", error.message) or not error.hint:
            raise
        return False
    return True


def read_at(cases: Path, number: str, places: int) -> list[int]:
    """Cut a file at random places; gives the lengths that are read."""
    (path,) = (cases / "real").glob(f"{number}-*")
    content = path.read_bytes()
    assert is_read(number, content)
    sizes = sorted(random.Random(3).sample(range(len(content)), min(places, len(content))))
    return [size for size in sizes if is_read(number, content[:size])]


@pytest.mark.long
def test_a_small_dump_that_is_cut_at_any_byte_is_refused_inside_its_graph(cases: Path) -> None:
    (path,) = (cases / "real").glob(f"{SMALL}-*")
    content = path.read_bytes()
    assert len(content) < 20_000
    assert min(size for size in range(len(content)) if is_read(SMALL, content[:size])) == content.index(b"\n}") + 2


@pytest.mark.parametrize("number", FILES)
def test_a_dump_that_is_cut_at_2000_places_is_mostly_refused(cases: Path, number: str) -> None:
    assert len(read_at(cases, number, PLACES)) < PLACES / 50


@pytest.mark.long
@pytest.mark.parametrize("number", OTHERS)
def test_the_other_dumps_that_are_cut_at_2000_places_are_mostly_refused(cases: Path, number: str) -> None:
    assert len(read_at(cases, number, PLACES)) < PLACES / 50
