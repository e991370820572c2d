"""Lines made to hurt: they cost no more than their length, and no number is too large for a column."""

from pathlib import Path

import pytest

from getrace.errors import InputError
from getrace.ids import KernelName, split_kernel_name
from getrace.plog.prefix import read_prefix
from getrace.replay import open_store
from getrace.store.columns import none_of

FRONT = "[INFO] GE(1,p):2026-03-05-10:11:12.000.001 "


# A pattern that tries every way to split one of these would not come back within the age of the machine.
@pytest.mark.parametrize(
    "seed", ["1:", "a:1:", "2a:00:11:22:", "(x) ", "[2026-03-05 10:11:12] ", "[INFO] ", "[INFO] GE(1,", "x):"]
)
def test_a_line_of_many_outer_prefixes_is_read_at_once(seed: str) -> None:
    assert read_prefix(seed * (1_000_000 // len(seed)) + "x") is None


def test_four_outer_prefixes_are_read_off() -> None:
    found = read_prefix("plog/a.log:12:(train pid=8) 17:[2026-03-05 10:11:12] " + FRONT + "x")
    assert found is not None
    assert (found[0].outer, found[1]) == ("plog/a.log:12:(train pid=8) 17:[2026-03-05 10:11:12] ", "x")


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        (FRONT + "[a.cc:1]9223372036854775807 F:x", "tid", 2**63 - 1),
        (FRONT + "[a.cc:1]9223372036854775808 F:x", "tid", none_of("tid")),
        (
            FRONT + "[a.cc:1]5 F:[KernelTrace][A_1][MEM]Free memory at stream 3000000000, address 0x1",
            "stream",
            3 * 10**9,
        ),
        (
            FRONT + "[a.cc:1]5 F:[KernelTrace][A_1][MEM]Free memory at stream 9999999999999999999999, address 0x1",
            "stream",
            none_of("stream"),
        ),
        (
            FRONT + "[a.cc:1]5 F:[KernelTrace][A_1][MEM]Free memory at stream 0, address 0x12345678123456781",
            "addr",
            None,
        ),
    ],
)
def test_a_number_outside_a_column_is_none(tmp_path: Path, line: str, column: str, value: int | None) -> None:
    path = tmp_path / "a.log"
    path.write_text(line + "\n")
    store = open_store([str(path)])
    assert store.column(column).tolist() == [none_of(column) if value is None else value]


@pytest.mark.parametrize("year", ["0001", "1969", "2262", "9999"])
def test_a_year_that_no_clock_of_64_bits_has_begins_no_record(tmp_path: Path, year: str) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"{FRONT}[a.cc:1]5 F:x\n{FRONT.replace('2026', year)}[a.cc:1]5 F:y\n")
    store = open_store([str(path)])
    assert store.column("lines").tolist() == [2]


def test_a_name_of_many_passes_or_many_digits_is_split_or_left_whole() -> None:
    assert split_kernel_name("CopyFlowLaunch_To_" * 2000 + "Add_1").type == "CopyFlowLaunch"
    digits = "Add_" + "9" * 5000
    assert split_kernel_name(digits) == KernelName(digits, "", -1)


def test_more_names_than_16_bits_count_do_not_change_a_module(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    trace = [f"{FRONT}[a.cc:1]5 OnExecuteEvent:[KernelTrace][Add_{number}_{number}]" for number in range(70_000)]
    path.write_text("\n".join([*trace, FRONT.replace("GE", "RUNTIME") + "[a.cc:1] 5 F: x"]))
    store = open_store([str(path)])
    assert store.names.text(int(store.column("module")[-1])) == "RUNTIME"


def test_thousands_of_full_pieces_belong_to_one_attempt(tmp_path: Path) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    piece = f"{FRONT}[executor_tracer.cc:74]5 OnExecuteEvent:[KernelTrace][{name}]" + "y" * (859 - len(name))
    path = tmp_path / "a.log"
    path.write_text(f"{piece}\n" * 20_000)
    store = open_store([str(path)])
    assert (store.rows, store.pieces) == (20_000, {})


@pytest.mark.parametrize("head", ["GE(12345678901234567890,p):2026-03-05-10:11:12", "GE(1,p):9999-03-05-10:11:12"])
def test_a_plog_whose_numbers_no_record_can_hold_is_named_as_what_it_is(tmp_path: Path, head: str) -> None:
    (tmp_path / "plog-1_1.log").write_text(f"[INFO] {head}.000.001 [a.cc:1]1 F: x\n")
    with pytest.raises(InputError, match="a plog with numbers that no record can hold"):
        open_store([str(tmp_path / "plog-1_1.log")])
