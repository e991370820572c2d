"""What a diagnosis says stands in a table: two languages, the same words filled in, nothing unused."""

import json
import re
from pathlib import Path
from string import Formatter

import pytest
from handmade import HandLog
from handmade_failures import device_log, ge

from getrace.analysis.failure import diagnose
from getrace.analysis.failure import findings as code
from getrace.analysis.failure.sayings import phrase, sayings
from getrace.analysis.rules import Language, own_book
from getrace.cli import main
from getrace.events import Level

CHINESE = re.compile("[\u4e00-\u9fff]")


def filled_in(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("name", sayings())
def test_a_finding_says_the_same_in_both_languages(name: str) -> None:
    saying = sayings()[name]
    for words in (saying.text, saying.next_step):
        assert words.en.isascii()
        assert CHINESE.search(words.zh)
        assert filled_in(words.en) == filled_in(words.zh)


def test_the_table_holds_what_the_code_says_and_nothing_else() -> None:
    text = Path(code.__file__).read_text(encoding="utf-8")
    said = set(re.findall(r'(?:say\(|_counted\(material, |else |name = |return material.say\()"(\w+)"', text))
    conditional = set(re.findall(r'"(\w+)" if ', text))
    assert set(sayings()) == said | conditional


def test_a_diagnosis_speaks_chinese_to_the_last_finding() -> None:
    told = diagnose(device_log().log.store(), own_book(), Language.ZH)
    assert [finding.rule for finding in told.findings][:3] == ["device_error", "task_join", "fault_name"]
    assert told.findings[0].message == "设备 0 上报核错误码 0x10 (aicore 0)。"
    assert all(CHINESE.search(finding.message) and CHINESE.search(finding.next_step) for finding in told.findings)


def test_english_is_what_a_diagnosis_speaks_when_nobody_asks() -> None:
    log = HandLog()
    log.say(ge("all is well"), level=Level.INFO)
    assert [finding.message for finding in diagnose(log.store()).findings] == [
        "No KernelTrace line: the log does not show which kernels ran."
    ]


def test_what_has_no_chinese_stays_english() -> None:
    assert phrase("FAILED", Language.ZH) == "失败"
    assert phrase("a label that nobody translated", Language.ZH) == "a label that nobody translated"
    assert phrase("and {count} more", Language.EN, count=3) == "and 3 more"


def test_the_card_and_the_findings_of_a_text_are_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.txt"
    path.write_text("step 1\nEE1001: invalid device, set device=9, valid range [0, 8)\n", encoding="utf-8")
    assert main(["diagnose", "--text", "--lang", "zh", str(path)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("失败  没有指明 kernel  阶段 init")
    assert "依据" in shown
    assert main(["diagnose", "--text", "--lang", "zh", "--json", str(path)]) == 1
    findings = json.loads(capsys.readouterr().out)["data"]["findings"]
    assert [finding["rule"] for finding in findings] == ["rt.device_id"]
    assert CHINESE.search(findings[0]["message"])
