"""What ``getrace graph`` says of its drawing."""

import sys
from pathlib import Path

import pytest

from getrace.cli import main


def test_graph_says_that_it_collapsed_because_the_engine_gave_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = tmp_path / "dot"
    calls = tmp_path / "calls"
    calls.write_text("")
    count = f"from pathlib import Path\ncalls = Path({str(calls)!r})\ncalls.write_text(calls.read_text() + 'x')\n"
    body = "sys.stdin.read()\nprint('<svg/>') if calls.read_text() == 'xxx' else sys.exit('no')\n"
    engine.write_text(f"#!{sys.executable}\nimport sys\n{count}{body}")
    engine.chmod(0o755)
    monkeypatch.setenv("GETRACE_DOT", str(engine))
    assert main(["graph", "add_example", "--stage", "main", "-o", str(tmp_path / "g.svg")]) == 0
    assert "(the layout engine gave up on all of them)" in capsys.readouterr().out
