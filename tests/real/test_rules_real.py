"""Rules on real logs: sixty at least fire, and each that names a case fires in it."""

from functools import cache
from pathlib import Path

import pytest

from getrace.analysis.rules import RuleBook, match, match_text, own_rules
from getrace.errors import InputError
from getrace.replay import open_store

pytestmark = pytest.mark.real

# What each must find, of all that fires there.
FACTS = {
    "30": {"rt.task_failed", "dev.mte_range", "rt.stream_sync"},
    "40": {"mem.hal_malloc", "rt.memcpy_async", "dev.sdma"},
    "71": {"mis.el0003", "acl.stream_sync"},
    "90": {"mis.207005", "rt.sqcq"},
    "92": {"op.broadcast", "op.infer_shape", "op.tiling"},
    "96": {"mis.207001", "dev.aicpu", "dev.down"},
    "106": {"hccl.heartbeat_lost", "hccl.stuck"},
    "115": {"ok.warning_code", "ok.fe_config"},
    "189": {"ok.ignore_above", "ok.tdt_send", "hccl.socket_timeout"},
}


def _fired(path: Path, book: RuleBook) -> set[str]:
    try:
        return set(match(open_store([str(path)]), book).hits)
    except InputError:
        # what an application printed, pasted without a record around it, is refused as a log
        text = path.read_text(encoding="utf-8", errors="replace")
        return {rule.id for _, rule, _ in match_text(book, text)}


@cache
def _all(cases: Path) -> dict[str, set[str]]:
    book = RuleBook(own_rules())
    paths = sorted(path for path in (cases / "real").iterdir() if path.suffix in {".log", ".txt"})
    logs = [
        path
        for path in paths
        if not {"ge_proto", ".csv", ".json"} & {n for n in ("ge_proto", ".csv", ".json") if n in path.name}
    ]
    return {path.name.partition("-")[0]: _fired(path, book) for path in logs}


def test_sixty_rules_at_least_fire_on_real_logs(cases: Path) -> None:
    fired = set().union(*_all(cases).values())
    print(f"{len(fired)} of {len(own_rules())} rules fire on {sum(map(bool, _all(cases).values()))} real cases")
    assert len(fired) >= 130


def test_a_rule_that_names_a_case_fires_in_it(cases: Path) -> None:
    found = _all(cases)
    lost = [
        f"{rule.id} in {source}"
        for rule in own_rules()
        for source in rule.source
        if source.startswith("case ") and rule.id not in found[source.split()[1]]
    ]
    assert lost == []


@pytest.mark.parametrize("case", FACTS)
def test_a_case_fires_what_its_source_says(case: str, cases: Path) -> None:
    assert FACTS[case] - _all(cases)[case] == set()


def test_a_healthy_log_fires_no_cause(cases: Path) -> None:
    causes = {rule.id for rule in own_rules() if rule.role == "cause" and rule.weight == "error"}
    found = _all(cases)
    assert {
        case: found[case] & causes for case in ("02", "07", "10", "14", "28", "149", "150", "151a", "151b", "177")
    } == {case: set() for case in ("02", "07", "10", "14", "28", "149", "150", "151a", "151b", "177")}
