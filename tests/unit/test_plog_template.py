"""Templates are compiled both ways from one text."""

import pytest

from getrace.plog.fields import FIELD_KINDS
from getrace.plog.template import Template


def test_a_template_reads_what_it_writes() -> None:
    template = Template("Sent event {event_id:i} RT event {handle:p} from stream {stream:i}")
    text = "Sent event 3 RT event 0x444 from stream 4"
    assert template.match(text) == {"event_id": 3, "handle": 0x444, "stream": 4}
    assert template.spell({"event_id": 3, "handle": 0x444, "stream": 4}) == text


def test_an_optional_part_is_written_only_when_its_values_are_there() -> None:
    template = Template("launched, task_id={task:u}<?, stream_id={rt_stream:u}?>")
    assert template.match("launched, task_id=7") == {"task": 7, "rt_stream": None}
    assert template.match("launched, task_id=7, stream_id=2") == {"task": 7, "rt_stream": 2}
    assert template.spell({"task": 7, "rt_stream": None}) == "launched, task_id=7"


@pytest.mark.parametrize(
    "text",
    ["Sent event 3", "Sent event 3 RT event 0x444 from stream 4 ", " Sent event 3 RT event 0x444 from stream 4"],
)
def test_a_template_takes_a_text_whole_or_not_at_all(text: str) -> None:
    assert Template("Sent event {event_id:i} RT event {handle:p} from stream {stream:i}").match(text) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("u", "007"),
        ("u", "-1"),
        ("i", "-0"),
        ("i", "+1"),
        ("p", "0x0"),
        ("p", "0X12"),
        ("p", "0x00ab"),
        ("q", "(nil)"),
        ("x", "0x1"),
        ("dims", "[1,2]"),
        ("dims", "[ 1]"),
        ("bytes", "0x1 "),
        ("bytes", "0x01"),
        ("qs", "0x01 "),
        ("pad5", "1   "),
        ("pad5", "01   "),
    ],
)
def test_a_spelling_that_gnu_printf_would_not_give_is_not_claimed(kind: str, text: str) -> None:
    assert Template(f"{{value:{kind}}}").match(text) is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("u", "18446744073709551615", 18446744073709551615),
        ("i", "-1", -1),
        ("p", "(nil)", 0),
        ("p", "0x12c041200000", 0x12C041200000),
        ("q", "0", 0),
        ("x", "30", 48),
        ("h", "0x26", 0x26),
        ("dims", "[]", ()),
        ("dims", "[-1, 3]", (-1, 3)),
        ("spaced", " [1, 2]  [] ", ((1, 2), ())),
        ("tensors", "[ND DT_FLOAT [2, 64]], [ND DT_INT32 []]", (("ND", "DT_FLOAT", (2, 64)), ("ND", "DT_INT32", ()))),
        ("ranges", "[ND DT_FLOAT [[1,64], [2,2]]]", (("ND", "DT_FLOAT", ((1, 64), (2, 2))),)),
        ("bytes", "0x0a 0xff ", b"\x0a\xff"),
        ("qs", "0x12c0 0 ", (0x12C0, 0)),
        ("w16s", "0x000012c041100000 ", (0x12C041100000,)),
        ("xs", "200 120 ", (0x200, 0x120)),
        ("us", "512 0 ", (512, 0)),
        ("numbers", "4096 32", (4096, 32)),
        ("listed", "3, 4, ", (3, 4)),
        ("regions", "0x12c0 (200), 0 (0), ", ((0x12C0, 0x200), (0, 0))),
        ("kernels", " kernel[0] addr offset is 80 data offset is 104", ((0, 80, 104),)),
        ("pad11", "65536      ", 65536),
    ],
)
def test_a_field_kind_reads_and_writes(kind: str, text: str, value: object) -> None:
    template = Template(f"{{value:{kind}}}")
    assert template.match(text) == {"value": value}
    assert template.spell({"value": value}) == text


def test_an_unknown_kind_and_an_open_part_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown field kind 'nosuch'"):
        Template("{value:nosuch}")
    with pytest.raises(ValueError, match="not closed"):
        Template("a <? b")


def test_no_pattern_has_a_group_of_its_own() -> None:
    for name in FIELD_KINDS:
        assert Template(f"{{value:{name}}}").regex.groups == 1, name
