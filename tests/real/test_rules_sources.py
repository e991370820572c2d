"""Each source that a rule names exists and says it: formats of GE's source, sections of specification and guide.

Cases are in ``test_rules_real``: a rule that names one fires in it.
"""

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

from getrace.analysis.rules import Rule, own_rules

pytestmark = pytest.mark.real

FORMATS = ("rt2_log_formats.tsv", "related_log_formats.tsv")
WORDS = re.compile(r"[A-Za-z]{3,}")


def named(kind: str) -> list[tuple[Rule, str]]:
    """Rules with what stands behind a kind of source."""
    pairs = ((rule, source.split(" ", 1)) for rule in own_rules() for source in rule.source)
    return [(rule, rest) for rule, (first, rest) in pairs if first == kind]


@pytest.fixture(scope="module")
def formats(cases: Path) -> dict[str, list[str]]:
    """The wordings of each file of GE."""
    found = defaultdict(list)
    for name in FORMATS:
        with (cases.parent / "spec" / name).open(encoding="utf-8") as file:
            for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                found[row[0]].append(row[-1])
    return found


def test_a_rule_from_a_format_has_a_wording_of_that_file(formats: dict[str, list[str]]) -> None:
    lost = []
    for rule, path in named("formats"):
        texts = formats[path]
        words = [set(WORDS.findall(pattern.literal)) for pattern in rule.patterns]
        if not any(said and said <= set(WORDS.findall(text)) for said in words for text in texts):
            lost.append(f"{rule.id}: {path}")
    assert len(named("formats")) >= 50
    assert lost == []


def test_a_rule_from_the_specification_names_a_section_of_it(cases: Path) -> None:
    lost = []
    for rule, rest in named("spec"):
        name, section = rest.split()
        text = (cases.parent / "spec" / f"{name}.md").read_text(encoding="utf-8")
        if not re.search(rf"(?m)^#+ {re.escape(section)}[ .]", text):
            lost.append(f"{rule.id}: {rest}")
    assert lost == []


def test_a_rule_from_the_guide_names_a_row_or_a_step_of_it(cases: Path) -> None:
    (guide,) = (cases.parent / "seeds").glob("002_*.txt")
    text = guide.read_text(encoding="utf-8")
    for rule, rest in named("seed"):
        number, section, *step = rest.split()
        assert number == "002", rule.id
        assert re.search(rf"(?m)^{re.escape(section)} ", text), rule.id
        assert not step or re.search(rf"\b{step[0]}[\[{{]", text), rule.id


def test_no_rule_has_a_source_of_another_kind() -> None:
    count = sum(len(named(kind)) for kind in ("formats", "case", "seed", "spec"))
    assert count == sum(len(rule.source) for rule in own_rules())
