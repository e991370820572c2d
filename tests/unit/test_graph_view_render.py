"""From a snapshot to a file: engines that are absent, fail or sleep, budgets, and files that cannot be written."""

import stat
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from graph_view_cases import add_snapshot, compute_snapshot, lone

from getrace.errors import UsageError
from views.graph import Drawing, EngineError, draw
from views.graph.engine import find_engine
from views.graph.render import tidy_svg

SVG = "{http://www.w3.org/2000/svg}"


def fake_engine(folder: Path, body: str) -> Path:
    """Write a program that Popen can start and that reads DOT text like an engine."""
    program = folder / "dot"
    program.write_text(f"#!{sys.executable}\nimport sys, time\ntext = sys.stdin.read()\n{body}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "graph.svg"


def test_an_svg_is_xml_with_the_nodes_and_their_full_names(out: Path) -> None:
    drawing = draw([add_snapshot()], stage="all", out=out)
    root = ET.fromstring(out.read_bytes())
    tooltips = [a.get("{http://www.w3.org/1999/xlink}title", "") for a in root.iter(f"{SVG}a")]
    assert root.tag == f"{SVG}svg"
    assert any(text.startswith("LaunchKernelWithHandle_add1_13 (LaunchKernelWithHandle), 3 in") for text in tooltips)
    assert drawing == Drawing(
        "all", 9, 7, 1, 9, collapsed=False, engine="graphviz-pure", layout_ms=drawing.layout_ms, path=out
    )


def test_without_a_stage_everything_a_dump_holds_is_drawn(tmp_path: Path) -> None:
    both, one = [compute_snapshot(), add_snapshot()], [compute_snapshot()]
    assert [draw(held, out=tmp_path / "a.dot").stage for held in (both, one)] == ["all", "compute"]


def test_the_same_graph_gives_the_same_svg_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    draw([add_snapshot()], stage="all", out=one)
    draw([add_snapshot()], stage="all", out=two)
    assert one.read_bytes() == two.read_bytes()


def test_an_svg_points_to_nothing_outside_and_names_no_engine(out: Path) -> None:
    draw([add_snapshot()], stage="main", out=out)
    text = out.read_text(encoding="utf-8")
    assert "<!--" not in text
    assert "<!DOCTYPE" not in text
    assert "href=" not in text
    assert "url(" not in text


@pytest.mark.parametrize(
    "name", ['q"</text><script>', "&lt;b&gt;", "\\N\\G", "bell\x07\x00", "\udce4", "加法算子", "]]>"]
)
def test_a_hostile_name_is_shown_and_the_svg_stays_xml(out: Path, name: str) -> None:
    draw([lone(name)], stage="compute", out=out)
    root = ET.fromstring(out.read_bytes())
    assert [element for element in root.iter() if element.tag.endswith("script")] == []


def test_entities_of_a_name_are_shown_as_they_are(out: Path) -> None:
    draw([lone("&lt;b&gt;")], stage="compute", out=out)
    assert "&lt;b&gt;" in [text.text for text in ET.fromstring(out.read_bytes()).iter(f"{SVG}text")]


def test_a_png_begins_as_a_png(tmp_path: Path) -> None:
    draw([compute_snapshot()], stage="compute", out=tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_dot_text_needs_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GETRACE_DOT", "no-such-engine")
    drawing = draw([compute_snapshot()], stage="compute", out=tmp_path / "graph.DOT")
    assert (drawing.engine, drawing.layout_ms) == ("", 0.0)
    assert (tmp_path / "graph.DOT").read_text().startswith("digraph getrace {")


@pytest.mark.parametrize("name", ["graph.pdf", "graph.html", "graph.txt", "graph"])
def test_a_format_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        draw([compute_snapshot()], stage="compute", out=tmp_path / name)
    assert caught.value.hint == "end it with .svg, .png, .dot, .gv"


def test_above_the_budget_operators_are_merged_and_the_record_says_so(out: Path) -> None:
    drawing = draw([add_snapshot()], stage="main", out=out, max_nodes=5)
    assert (drawing.nodes, drawing.drawn, drawing.collapsed) == (6, 3, True)
    assert (drawing.edges_data, drawing.edges_control) == (4, 1)
    assert b"4 nodes" in out.read_bytes()


def test_at_the_budget_every_node_is_drawn(out: Path) -> None:
    assert not draw([add_snapshot()], stage="main", out=out, max_nodes=6).collapsed


@pytest.mark.parametrize(("max_nodes", "time_limit"), [(0, 1.0), (5, 0.0), (-1, 1.0), (5, -2.0)])
def test_limits_must_be_positive(out: Path, max_nodes: int, time_limit: float) -> None:
    with pytest.raises(UsageError, match="cannot draw"):
        draw([add_snapshot()], stage="main", out=out, max_nodes=max_nodes, time_limit=time_limit)


def test_an_engine_that_does_not_come_back_is_stopped(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = fake_engine(out.parent, "print('thinking', file=sys.stderr, flush=True)\ntime.sleep(60)")
    monkeypatch.setenv("GETRACE_DOT", str(engine))
    started = time.monotonic()
    with pytest.raises(EngineError, match=r"dot was stopped after 0\.5 s") as caught:
        draw([add_snapshot()], stage="main", out=out, time_limit=0.5)
    assert time.monotonic() - started < 20
    assert "--max-nodes" in caught.value.hint
    assert list(out.parent.iterdir()) == [engine]


def test_an_engine_that_fails_is_quoted(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = fake_engine(out.parent, "sys.exit('syntax error in line 7')")
    monkeypatch.setenv("GETRACE_DOT", str(engine))
    with pytest.raises(EngineError, match="dot ended with 1 and 0 bytes: syntax error in line 7"):
        draw([add_snapshot()], stage="main", out=out)
    assert not out.exists()


def test_what_an_engine_cannot_rank_frame_by_frame_is_laid_out_as_a_whole(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = "'newrank' in text and 'splines=line' in text"
    body = f"print('<svg/>') if {plain} else sys.exit('Error: trouble in init_rank')"
    monkeypatch.setenv("GETRACE_DOT", str(fake_engine(out.parent, body)))
    drawing = draw([add_snapshot()], stage="main", out=out)
    assert (drawing.drawn, drawing.collapsed) == (6, False)
    assert out.read_text() == "<svg/>\n"


def test_what_an_engine_cannot_lay_out_node_by_node_is_merged_and_the_record_says_so(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "print('<svg/>') if '4 nodes' in text else sys.exit('Error: trouble in init_rank')"
    monkeypatch.setenv("GETRACE_DOT", str(fake_engine(out.parent, body)))
    drawing = draw([add_snapshot()], stage="main", out=out)
    assert (drawing.nodes, drawing.drawn, drawing.collapsed) == (6, 3, True)


def test_of_an_engines_words_its_errors_are_quoted_not_the_keys_it_lists(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "sys.exit('Warning: a width\\nError: trouble in init_rank\\n\\t%0 1\\n\\tg0n7 2')"
    monkeypatch.setenv("GETRACE_DOT", str(fake_engine(out.parent, body)))
    with pytest.raises(EngineError) as caught:
        draw([add_snapshot()], stage="main", out=out)
    assert caught.value.message == "dot ended with 1 and 0 bytes: Error: trouble in init_rank"
    assert "--max-nodes" in caught.value.hint


def test_an_engine_that_makes_nothing_has_failed(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GETRACE_DOT", str(fake_engine(out.parent, "pass")))
    with pytest.raises(EngineError, match="dot ended with 0 and 0 bytes: it said nothing"):
        draw([add_snapshot()], stage="main", out=out)


def test_a_program_that_cannot_start_is_named(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = out.parent / "broken"
    program.write_bytes(b"\x7fELF and no more")
    program.chmod(0o755)
    monkeypatch.setenv("GETRACE_DOT", str(program))
    with pytest.raises(EngineError, match="cannot start"):
        draw([add_snapshot()], stage="main", out=out)


def test_the_variable_must_name_a_program() -> None:
    with pytest.raises(UsageError, match="GETRACE_DOT names 'no-such-engine', which is no program"):
        find_engine({"GETRACE_DOT": "no-such-engine", "PATH": ""})


def test_the_variable_comes_before_the_bundled_engine(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path, "pass")
    assert find_engine({"GETRACE_DOT": str(engine), "PATH": ""}) == str(engine)


def test_a_system_dot_is_the_last_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_bundled(monkeypatch, tmp_path)
    engine = fake_engine(tmp_path, "pass")
    assert find_engine({"PATH": str(tmp_path)}) == str(engine)


def test_without_any_engine_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_bundled(monkeypatch, tmp_path)
    with pytest.raises(EngineError, match="no layout engine") as caught:
        find_engine({"PATH": str(tmp_path)})
    assert caught.value.hint.startswith("pip install graphviz-pure")


def hide_bundled(monkeypatch: pytest.MonkeyPatch, empty: Path) -> None:
    monkeypatch.setattr("views.graph.engine.sys.executable", str(empty / "python"))
    monkeypatch.setattr("views.graph.engine.sysconfig.get_path", lambda _name: str(empty))


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        draw([compute_snapshot()], stage="compute", out=tmp_path / "missing" / "graph.dot")


def test_a_folder_in_the_place_of_the_file_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "graph.dot").mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        draw([compute_snapshot()], stage="compute", out=tmp_path / "graph.dot")
    assert [path.name for path in tmp_path.iterdir()] == ["graph.dot"]


def test_a_drawing_replaces_the_one_before_and_has_ordinary_rights(tmp_path: Path) -> None:
    out = tmp_path / "graph.dot"
    out.write_text("old")
    draw([compute_snapshot()], stage="compute", out=out)
    plain = tmp_path / "plain"
    plain.touch()
    assert out.read_text().startswith("digraph")
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.dot", "plain"]


def test_tidying_takes_out_the_release_and_the_document_type() -> None:
    head = b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x"\n "y">\n<!-- Generated by 16.1\n -->\n'
    raw = head + b"<svg><!-- a --><g/></svg>"
    assert tidy_svg(raw) == b'<?xml version="1.0"?>\n<svg><g/></svg>'
