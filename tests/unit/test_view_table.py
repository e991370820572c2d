"""A list with columns: widths, headings, and lines that are made when they are asked for."""

import pytest

from views.model.spans import Span, plain
from views.model.table import Head, Table, listed

HEADS = (Head("name"), Head("size", 6, right=True), Head("note", needs=30))


def table(*rows: int) -> Table:
    cells = [(Span(f"n{row}"), Span(str(row)), Span("a longer note")) for row in rows]
    return listed(HEADS, cells, rows, "nothing here")


@pytest.mark.parametrize(
    ("width", "widths"),
    [(10, (3, 6, -1)), (29, (22, 6, -1)), (30, (11, 6, 11)), (31, (12, 6, 11)), (5, (0, 6, -1))],
)
def test_columns_share_the_width(width: int, widths: tuple[int, ...]) -> None:
    assert table(1).widths(width) == widths


def test_cells_stand_below_their_titles() -> None:
    made = table(4, 12)
    assert plain(made.heading(30)) == "name          size note       "
    assert plain(made.line(1, 30)) == "n12             12 a longer n…"


def test_a_line_leads_to_a_row() -> None:
    made = table(4, 12)
    assert [made.row(index) for index in (-1, 0, 1, 2)] == [-1, 4, 12, -1]
    assert [made.at_row(row) for row in (3, 4, 11, 12, 99)] == [-1, 0, 0, 1, 1]


def test_an_empty_list_says_why() -> None:
    assert (plain(table().line(0, 30)), table().lines(30)) == ("nothing here", 1)
    assert [plain(table().line(at, 8)) for at in range(table().lines(8))] == ["nothing", "here"]


def test_only_the_lines_in_sight_are_made() -> None:
    made: list[int] = []

    def cells(index: int) -> tuple[Span, ...]:
        made.append(index)
        return (Span("x"), Span("1"), Span(""))

    Table(HEADS, 10_000_000, cells).line(9_999_999, 40)
    assert made == [9_999_999]


def test_hostile_cells_are_made_visible() -> None:
    cells = [(Span("\x1b[2J\u202e"), Span("1"), Span(""))]
    assert plain(listed(HEADS, cells, [0], "").line(0, 40)).startswith("\\e[2J\\u202e")
