"""The two models inside the flow model of the case collection, by name and by number."""

import json
from pathlib import Path

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]


def test_a_flow_model_says_which_models_it_holds(cases: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["graph", str(cases / "om/flow_model.om"), "-o", str(tmp_path / "g.dot"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == [
        "the file holds 2 inner models; --inner NAME draws one: 1. graph1 (NPU), 2. graph2 (HOST_CPU)"
    ]


@pytest.mark.parametrize(("inner", "title"), [("graph1", "graph1"), ("2", "graph2")])
def test_an_inner_model_is_drawn(inner: str, title: str, cases: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.dot"
    assert main(["graph", str(cases / "om/flow_model.om"), "--inner", inner, "-o", str(out)]) == 0
    assert f"{title}, compute" in out.read_text()


def test_an_inner_model_that_is_not_there_is_answered_with_those_that_are(
    cases: Path, tmp_path: Path, capsys: Capture
) -> None:
    told = main(["graph", str(cases / "om/flow_model.om"), "--inner", "graph3", "-o", str(tmp_path / "g.dot")])
    assert told == 2
    assert "1. graph1 (NPU), 2. graph2 (HOST_CPU)" in capsys.readouterr().err


def test_what_is_no_offline_model_has_no_inner_model(tmp_path: Path, capsys: Capture) -> None:
    assert main(["graph", "add_example", "--inner", "x", "-o", str(tmp_path / "g.dot")]) == 2
    assert "no offline model" in capsys.readouterr().err
