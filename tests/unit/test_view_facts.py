"""The selected row in full, the title and the status."""

from handmade import HandLog
from view_story import Story, run_story

from getrace.events import Level
from getrace.events.markers import KernelEnd
from views.model.facts import facts_of, lines_of
from views.model.spans import Span, plain
from views.model.status import Feeding, status_line, title_line


def test_a_row_is_told_field_by_field_and_word_by_word() -> None:
    lines = [plain(line) for line in lines_of(facts_of(run_story(), 10), 60)]
    assert lines == [
        "mem alloc (memory)  demo event 11",
        "[INFO] GE(4711,demo):2026-03-05-10:11:12.130.201 [story.cc:1",
        "]4718 Run:[KernelTrace][AllocMemHbm_add1_62]mem_alloc",
        "time         2026-03-05-10:11:12.130.201",
        "since last   +20us",
        "said by      INFO GE, process 4711, thread 4718",
        "kernel       AllocMemHbm of add1, id 62",
        "block        0xb0",
        "addr         0x12c041200000",
        "size         64 KiB",
        "stream       0",
        "asked        600 B",
        "index        0",
    ]


def test_a_wide_pane_has_two_columns() -> None:
    lines = [plain(line) for line in lines_of(facts_of(run_story(), 10), 90)]
    assert lines[3] == "time         2026-03-05-10:11:12.130.201      since last   +20us"
    assert lines[7] == "stream       0                                asked        600 B"
    assert len(lines) == 9


def test_a_megabyte_is_cut_and_counted() -> None:
    story = Story()
    story.line("x" * 1_000_000, Level.ERROR)
    story.store.poll()
    facts = facts_of(story.store, 0)
    assert facts.note.endswith(" more characters are not shown.")
    assert sum(map(len, facts.raw)) == 20_000
    assert len(lines_of(facts, 80)) < 300


def test_a_record_of_several_lines_keeps_them() -> None:
    story = Story()
    story.line("first\nsecond\x1b[2J")
    story.store.poll()
    assert facts_of(story.store, 0).raw[1] == "second\\e[2J"


def test_the_title_counts_rows_and_errors() -> None:
    text = plain(title_line("demo.log", run_story(), 2, 60))
    assert text == " getrace  demo.log                        43 rows  2 errors "


def test_the_title_claims_nothing_before_the_errors_are_counted() -> None:
    assert plain(title_line("demo.log", run_story(), None, 60)).endswith("43 rows  counting errors ")


def test_the_title_says_that_records_are_gone() -> None:
    store = run_story()
    store.sources[0].cut = True
    assert plain(title_line("demo.log", store, 2, 60)).endswith("43 rows  was cut 2 errors ")


def test_a_long_notice_takes_the_room_of_the_time() -> None:
    text = plain(status_line(run_story(), 41, Feeding(), Span("not a pattern: unterminated character set", "bad"), 64))
    assert text.rstrip() == " 42/43 97%  not a pattern: unterminated character set"


def test_the_status_tells_position_and_help() -> None:
    text = plain(status_line(run_story(), 41, Feeding(), None, 100))
    assert text == " 42/43 97%  event 42  10:11:12.130.821  1 source  ? help  / search  e error  y copy  q quit"


def test_a_live_run_shows_what_was_dropped() -> None:
    following = plain(status_line(run_story(), 42, Feeding(live=True, following=True), None, 80))
    paused = plain(status_line(run_story(), 42, Feeding(live=True, unseen=1234, dropped=7), None, 80))
    assert "LIVE  dropped 0" in following
    assert "PAUSED +1,234  dropped 7" in paused


def test_a_notice_takes_the_place_of_the_help() -> None:
    text = plain(status_line(run_story(), 0, Feeding(), Span("no line matches x", "bad"), 80))
    assert text.rstrip().endswith("no line matches x")


def test_a_record_without_a_time_says_so() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_1")
    log.say(KernelEnd(), "Tiling_a_1", timed=False)
    facts = facts_of(log.store(), 1).facts
    assert facts[:2] == (("time", "not said"), ("since last", "not known"))
    assert plain(status_line(log.store(), 1, Feeding(), None, 20)).rstrip() == " 2/2 100%  line 2"
