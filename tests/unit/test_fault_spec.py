"""Faults as they are written, and profiles from files: what is read, and what is refused with the grammar."""

from pathlib import Path

import pytest

from getrace.cli import main
from getrace.errors import UsageError
from runtime.device.fault_plan import FaultPlan
from runtime.device.fault_spec import GRAMMAR, KINDS, FaultSpec, parse_fault
from runtime.device.profile_file import profile_of
from runtime.device.profiles import PROFILES

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("malloc#7", FaultSpec("malloc", number=7)),
        ("aicore@GatherV2#1", FaultSpec("aicore", "GatherV2", 1)),
        ("slow@a/b/conv:2.5", FaultSpec("slow", "a/b/conv", value=2.5)),
        ("oom:0x100000", FaultSpec("oom", value=1_048_576)),
        ("launch@LaunchKernelWithHandle#2:507899", FaultSpec("launch", "LaunchKernelWithHandle", 2, 507_899)),
        ("bitflip:0", FaultSpec("bitflip", value=0)),
        ("kill", FaultSpec("kill")),
        ("lost-event", FaultSpec("lost-event")),
    ],
)
def test_a_fault_is_read_and_written_again(text: str, spec: FaultSpec) -> None:
    assert parse_fault(text) == spec
    assert parse_fault(spec.text) == spec


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no kind ''"),
        ("meltdown", "there is no kind 'meltdown'"),
        ("aicore#0", "N is '0', not a number from 1"),
        ("aicore#-1", "N is '-1', not a number from 1"),
        ("aicore#", "N is '', not a number from 1"),
        ("aicore#x", "N is 'x', not a number from 1"),
        ("aicore@", "there is no name behind the @"),
        ("malloc@Add", "malloc counts calls of the driver, which knows no names"),
        ("oom:-1", "the value -1 is not bytes above 0"),
        ("oom:lots", "the value 'lots' is not bytes"),
        ("slow:0", "the value 0 is not a factor above 0"),
        ("slow:nan", "the value nan is not a factor above 0"),
        ("slow:1000001", "the value 1000001 is above 1000000"),
        ("slow:inf", "the value inf is above 1000000"),
        ("aicore:4294967296", "the value 4294967296 is above 4294967295"),
        ("oom:9223372036854775808", "the value 9223372036854775808 is above 9223372036854775807"),
        ("oom#2:4096", "memory ends at VALUE bytes or with the N-th allocation, not both"),
        ("kill:9", "kill takes no value"),
        ("aicore:1:2", "the value '1:2' is not a code"),
    ],
)
def test_what_is_no_fault_is_refused_with_the_grammar(text: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_fault(text)
    assert caught.value.message.startswith(f"--fault {text!r}: ")
    assert caught.value.hint == GRAMMAR
    if text != "aicore:1:2":
        assert caught.value.message.endswith(why)


def test_the_grammar_names_every_kind() -> None:
    assert all(kind in GRAMMAR for kind in KINDS)
    grammar = "malloc stream event notify launch copy aicore aicpu timeout lost-event slow bitflip oom kill"
    assert " ".join(KINDS) == grammar


def test_the_n_th_call_of_a_name_is_struck_and_no_other() -> None:
    plan = FaultPlan([parse_fault("aicore@Add#2")])
    struck = [plan.strikes("aicore", names) is not None for names in (("Add",), ("Mul",), ("Add",), ("Add",))]
    assert struck == [False, False, True, False]


def test_a_slow_operator_is_always_slow_unless_a_call_is_named() -> None:
    always, once = FaultPlan([parse_fault("slow@Add")]), FaultPlan([parse_fault("slow@Add#2")])
    assert [always.strikes("slow", ("Add",)) is not None for _ in range(3)] == [True, True, True]
    assert [once.strikes("slow", ("Add",)) is not None for _ in range(3)] == [False, True, False]


def test_without_memory_every_allocation_from_the_n_th_on_fails() -> None:
    plan = FaultPlan([parse_fault("oom#2")])
    assert [plan.refuses_malloc() for _ in range(4)] == [False, True, True, True]
    assert FaultPlan([parse_fault("oom:4096")]).capacity(1 << 30) == 4096
    assert FaultPlan([parse_fault("malloc#2")]).refuses_malloc() is False


def test_faults_that_met_nothing_are_told() -> None:
    plan = FaultPlan([parse_fault("aicpu"), parse_fault("malloc#3"), parse_fault("oom:4096")])
    plan.refuses_malloc()
    assert plan.unmet() == [("aicpu", "there were 0 such calls"), ("malloc#3", "there were 1 such calls")]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("melt", "getrace: --fault 'melt': there is no kind 'melt'"),
        ("aicore#0", "getrace: --fault 'aicore#0': N is '0', not a number from 1"),
        ("oom:-4", "getrace: --fault 'oom:-4': the value -4 is not bytes above 0"),
        (
            "aicore@Mull",
            "getrace: --fault aicore@Mull: the model has no operator, node or kernel type of this name",
        ),
    ],
)
def test_the_command_line_refuses_a_wrong_fault_with_two(fault: str, said: str, capsys: Capture) -> None:
    assert main(["run", "weights", "--no-tui", "--fault", fault]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == said
    assert err.splitlines()[1].endswith(GRAMMAR)


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_profile_file_changes_numbers_of_a_profile(tmp_path: Path) -> None:
    mine = profile_of(written(tmp_path, 'base = "tiny"\nhbm_bytes = 33554432\nevent_ns = 0\n'))
    assert (mine.name, mine.soc, mine["hbm_bytes"], mine["kernel_ns"]) == ("mine", "ascend910b", 33_554_432, 1_500)
    assert mine.parameters["hbm_bytes"].source == "mine.toml"
    assert PROFILES["tiny"]["hbm_bytes"] == 16_777_216
    assert profile_of("tiny") is PROFILES["tiny"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "tiny"\nhbm = 1\n', "there is no key 'hbm'"),
        ('base = "tiny"\nhbm_bytes = -1\n', "hbm_bytes = -1 is no whole number from 1"),
        ('base = "tiny"\nhbm_bytes = 1.5\n', "hbm_bytes = 1.5 is no whole number from 1"),
        ('base = "tiny"\nkernel_ns = true\n', "kernel_ns = True is no whole number from 0"),
        ('base = "tiny"\nhbm_bytes = 281474976710657\n', "is no whole number from 1 to 281474976710656"),
        ('base = "tiny"\nsync_ns = 3600000000001\n', "is no whole number from 0 to 3600000000000"),
        ("hbm_bytes = 1\n", "base is missing"),
        ('base = "h100"\n', "no device profile is called 'h100'"),
        ("base\n", "is no TOML"),
    ],
)
def test_a_wrong_profile_file_is_refused_with_two(text: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", "weights", "--no-tui", "--device", written(tmp_path, text)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 2


def test_the_slowest_device_and_the_slowest_kernels_still_have_a_time(tmp_path: Path) -> None:
    hour = 'base = "tiny"\nkernel_ns = 3600000000000\ntask_latency_ns = 3600000000000\n'
    device = written(tmp_path, hour)
    assert main(["run", "weights", "--no-tui", "--device", device, "--fault", "slow:1e5"]) == 0


def test_a_device_that_is_busy_beyond_virtual_time_is_refused(tmp_path: Path, capsys: Capture) -> None:
    device = written(tmp_path, 'base = "tiny"\nkernel_ns = 3600000000000\n')
    assert main(["run", "weights", "--no-tui", "--device", device, "--fault", "slow:1e6"]) == 2
    assert "longer than virtual time lasts" in capsys.readouterr().err


def test_a_profile_file_that_is_not_there_is_refused_with_two(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", "weights", "--no-tui", "--device", str(tmp_path / "no.toml")]) == 2
    assert "cannot read the profile" in capsys.readouterr().err
