"""What a pattern may be: anything that cannot run for ever. Expected reasons are written out."""

import time

import pytest

from getrace.analysis.hangs.wordings import WORDINGS as HANGS
from getrace.analysis.rules.grammar import PatternError, fixed_parts
from getrace.analysis.rules.line_shapes import LineShapes
from getrace.analysis.rules.load import own_rules
from getrace.analysis.rules.pattern import CHOICES, LONGEST, SIZE, compiled, trusted
from getrace.analysis.shapes.wordings import WORDINGS as SHAPES

REFUSED = [
    ("(a+)+ order", "repeats a group without end"),
    ("(?:a+)* order", "repeats a group without end"),
    ("(a*)*order", "repeats a group without end"),
    ("(?:order|ord)+ done", "repeats a group without end"),
    (r"order (\w+\s?)+!", "repeats a group without end"),
    (r"order \d+\d+x", "what follows must begin with a character outside it"),
    (r"order \w*\w*\w*\w*x", "what follows must begin with a character outside it"),
    (r"order \w+(?: x)?\w", "what follows must begin with a character outside it"),
    ("order " + "a?" * 30 + "a" * 30, f"allows more than {CHOICES} combinations"),
    ("order (?:a|b|c){9}", "repeats a group"),
    (r"order (a|b)\1", "uses \\1"),
    ("order(?=x)", "uses a group other than"),
    ("(?i)order", "uses a group other than"),
    ("order (?P<rest>.*)", "repeats . inside a group"),
    ("order (", "is no regular expression"),
    ("[order", "is no regular expression"),
    ("order{99999999999999999999}", "is no regular expression"),
    ("^order failed", "uses ^"),
    ("order|delivery", "has alternatives at its top"),
    (".*", "names no 4 characters in a row"),
    (r"\w+ \d+", "names no 4 characters in a row"),
    ("", "names no 4 characters in a row"),
    ("x" * (SIZE + 1), "is longer than"),
    ("(" * 9 + "order" + ")" * 9, "has groups more than"),
]

TAKEN = [
    ("order .* failed", "order 7 of shop failed", {}),
    (
        r"order (?P<id>\d+), shop (?P<shop>[^,]*), why",
        "an order 7, shop of Ann, why not",
        {"id": "7", "shop": "of Ann"},
    ),
    (r"queue (?:full|closed)(?: now)?", "queue closed", {}),
    (r"size\[(?P<size>-?\d+)\] of box", "size[-4] of box", {"size": "-4"}),
    (r"order depth{2}=\d{1,3}", "order depthh=12", {}),
    ("100% full.*see shop", "100% full; see shop", {}),
]

HOSTILE = ["order " + "a" * 4000, "order " + "7" * 4000 + "x", "order ," * 900, "order [" * 900, "order (" * 900]


@pytest.mark.parametrize(("pattern", "why"), REFUSED)
def test_a_pattern_that_could_run_for_ever_is_refused_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(PatternError) as caught:
        compiled(pattern)
    assert why in str(caught.value)


@pytest.mark.parametrize(("pattern", "line", "values"), TAKEN)
def test_a_pattern_finds_its_line_and_its_values(pattern: str, line: str, values: dict[str, str]) -> None:
    assert compiled(pattern).search(line) == values
    assert compiled(pattern).search(line.replace("order", "ordre").replace("queue", "q").replace("o", "0")) is None


def test_fragments_must_come_in_their_order() -> None:
    pattern = compiled("first.*second.*third")
    assert pattern.search("first then second then third") == {}
    assert pattern.search("second first third") is None


def test_only_the_beginning_of_a_long_line_is_read() -> None:
    pattern = compiled("needle")
    assert pattern.search(" " * (LONGEST - 6) + "needle") == {}
    assert pattern.search(" " * (LONGEST - 5) + "needle") is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"order (?P<a>[^,]*), (?P<b>[^,]*), (?P<c>[^,]*), x",
        r"order .*order .*order .*order .*order .*x",
        r"order (?:a|aa|aaa)(?:a|aa|aaa)(?:a|aa|aaa)x",
        r"order \d+x\d+y",
        r"order [^x]{1,200}x",
    ],
)
def test_what_is_taken_ends_soon_on_lines_made_to_hurt(pattern: str) -> None:
    one = compiled(pattern)
    start = time.process_time()
    for line in HOSTILE:
        one.search(line)
    assert time.process_time() - start < 2.0


OWN = [
    *(pattern.text for rule in own_rules() for pattern in rule.patterns),
    *(wording for _, *wordings in HANGS for wording in wordings),
    *(wording for _, wording in SHAPES),
]


def test_each_wording_of_our_own_is_one_that_a_user_might_give() -> None:
    assert len(OWN) > 400
    for text in OWN:
        given, own = compiled(text), trusted(text)
        assert len(own.literal.strip()) >= 4, text
        for part in own.fixed:  # outside of groups a run may be a piece of one that goes on inside
            assert any(part in run for run in given.fixed), (text, part)


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        (r"size\[(?P<size>-?\d+)\] of box", ["size[", "] of box"]),
        ("100% full.*see shop", ["100% full", "see shop"]),
        (r"order (?:full \(now\)|closed)s? here", ["order ", " here"]),
        (r"depth{2}=\d{1,3}, x{,3}y", ["dept", "=", ", ", "y"]),
        (r"[a(]bcd+e?f\.g", ["bc", "f.g"]),
        (r"why{} \n not", ["why", "} ", " not"]),
    ],
)
def test_the_parts_that_every_line_holds_are_found_without_reading_a_pattern(pattern: str, parts: list[str]) -> None:
    assert fixed_parts(pattern) == parts


def test_shapes_of_lines_leave_out_no_wording_that_fits() -> None:
    asked = []

    def wordings(module: str) -> list[tuple[list[str], str]]:
        asked.append(module)
        return [(["order ", " failed"], "both"), (["order 7"], "seven"), (["\u8ba2\u5355"], "zh")]

    shapes = LineShapes(wordings)
    assert shapes.may_fit("the order 12 has failed", "GE") == ("both", "seven")  # digits do not count
    assert shapes.may_fit("the order 99 has failed", "GE") == ("both", "seven")
    assert shapes.may_fit("the order abc is done", "GE") == ("seven",)
    assert shapes.may_fit("\udc80 \u8ba2\u5355 3") == ("zh",)
    assert shapes.may_fit("nothing") == ()
    assert asked == ["GE", ""]
