"""The command line itself: verbs, help, exit codes, what goes to which stream."""

import json
import subprocess
import sys
import types
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

import pytest

from getrace import __version__
from getrace.cli import main
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import envelope
from getrace.cli.layout import Paint
from getrace.cli.options import dashed
from getrace.cli.verbs import TABLE, Row
from getrace.errors import InputError, InternalError, UsageError

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """A verb ``probe`` that raises what the test puts into the list, or answers one line."""
    faults: list[BaseException] = []
    module = types.ModuleType("probe_verb")

    def arguments(parser: ArgumentParser) -> None:
        parser.add_argument("--max-nodes", type=int)

    def text(paint: Paint) -> Iterator[str]:
        yield paint("red", "fine")

    def answer(options: Namespace, _tools: Tools) -> Answer:
        if faults:
            raise faults[0]
        return Answer(ExitCode.FOUND, {"max_nodes": options.max_nodes}, text, warnings=("look here",))

    vars(module).update(EXAMPLES=("getrace probe --max-nodes 3",), arguments=arguments, answer=answer)
    monkeypatch.setitem(sys.modules, "probe_verb", module)
    monkeypatch.setitem(TABLE, "probe", Row("probe_verb", "probe"))
    return faults


def test_the_package_itself_is_the_program_too() -> None:
    told = subprocess.run([sys.executable, "-m", "getrace", "--version"], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (0, f"getrace {__version__}\n")


def test_the_version_is_told(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"getrace {__version__}\n", "")


def test_the_version_brings_neither_numpy_nor_textual() -> None:
    code = (
        "import sys\n"
        "from getrace.cli import main\n"
        "main(['--version'])\n"
        "heavy = {'numpy', 'textual', 'rich', 'structlog', 'graphviz', 'runtime', 'views', 'getrace.store'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"], ["help"]])
def test_help_begins_with_examples_and_names_every_verb(arguments: list[str], capsys: Capture) -> None:
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert text.startswith("Examples:\n  getrace diagnose ")
    assert [name for name in TABLE if f"\n  {name} " not in text] == []


@pytest.mark.parametrize("verb", list(TABLE))
def test_the_help_of_a_verb_begins_with_its_examples(verb: str, capsys: Capture) -> None:
    assert main([verb, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Examples:\n  getrace {verb} ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["diagnoze"], "did you mean `getrace diagnose`?"),
        (["xyz"], "the verbs are run, open, check"),
        (["fleet", "x"], "there is no verb 'fleet'"),
        (["query", "x"], "there is no verb 'query'"),
        (["--json", "check"], "options come after the verb"),
        (["check"], "the following arguments are required: PATH"),
        (["check", "x", "--bogus"], "unrecognized arguments: --bogus"),
        (["check", "x", "--since", "2026"], "--since '2026' is no time"),
        (["memory", "x", "--at", "3"], "unrecognized arguments: --at"),
        (["memory", "x", "--addr", "zz"], "--addr 'zz' is no address"),
        (["stats", "x", "--by", "colour"], "invalid choice: 'colour'"),
        (["check", "x", "--js"], "unrecognized arguments: --js"),
        (["open", "x", "--json"], "open has no JSON answer"),
        (["open", "x"], "open needs a terminal"),
        (["open", "-"], "open cannot read a log from standard input, where its keys come from"),
    ],
)
def test_a_wrong_command_line_gets_a_sentence_and_exit_2(arguments: list[str], sentence: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("wrong", "do this"), 2, "getrace: wrong\n  -> do this\n"),
        (InputError("x.log:3 is broken"), 3, "getrace: x.log:3 is broken\n"),
        (InternalError("ours"), 4, "getrace: ours\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_each_kind_of_error_has_its_exit_code(
    error: BaseException, code: int, said: str, fault: list[BaseException], capsys: Capture
) -> None:
    fault.append(error)
    assert main(["probe"]) == code
    assert capsys.readouterr() == ("", said)


def test_a_fault_of_ours_is_one_sentence_and_exit_4(fault: list[BaseException], capsys: Capture) -> None:
    fault.append(ZeroDivisionError("a\nb"))
    assert main(["probe"]) == 4
    err = capsys.readouterr().err
    assert err.splitlines()[0] == "getrace: internal error: ZeroDivisionError: a b"
    assert "Traceback" not in err


def test_debug_shows_the_traceback_and_a_line_in_the_form_of_plog(fault: list[BaseException], capsys: Capture) -> None:
    fault.append(ZeroDivisionError("a"))
    assert main(["probe", "--debug"]) == 4
    err = capsys.readouterr().err
    assert err.startswith("[INFO] GETRACE(")
    assert "Traceback (most recent call last)" in err


def test_text_and_warnings_go_to_their_own_streams(fault: list[BaseException], capsys: Capture) -> None:
    assert main(["probe"]) == 1
    assert capsys.readouterr() == ("fine\n", "getrace: warning: look here\n")


def test_quiet_drops_warnings_and_hints_but_not_errors(fault: list[BaseException], capsys: Capture) -> None:
    assert main(["probe", "--quiet"]) == 1
    assert capsys.readouterr().err == ""
    fault.append(UsageError("wrong", "do this"))
    assert main(["probe", "--quiet"]) == 2
    assert capsys.readouterr().err == "getrace: wrong\n"


def test_json_has_the_envelope_in_its_order(fault: list[BaseException], capsys: Capture) -> None:
    assert main(["probe", "--json", "--max-nodes", "3"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out == (
        "{\n"
        '  "schema": "getrace/probe/1",\n'
        f'  "getrace": "{__version__}",\n'
        '  "sources": [],\n'
        '  "warnings": [\n    "look here"\n  ],\n'
        '  "truncated": false,\n'
        '  "dropped": 0,\n'
        '  "data": {\n    "max_nodes": 3\n  }\n'
        "}\n"
    )


def test_json_has_a_line_for_each_object_of_a_list_and_numbers_on_one_line() -> None:
    data = {
        "rows": [{"name": "\u00e4", "at": {"line": 1}}, {"name": None, "at": None}],
        "pool": {"growth": [{"bytes": 1}], "none": []},
        "lines": [1, 2],
    }
    text = envelope("probe", data)
    assert text.partition('  "data": ')[2] == (
        "{\n"
        '    "rows": [\n'
        '      {"name": "\\u00e4", "at": {"line": 1}},\n'
        '      {"name": null, "at": null}\n'
        "    ],\n"
        '    "pool": {\n'
        '      "growth": [\n'
        '        {"bytes": 1}\n'
        "      ],\n"
        '      "none": []\n'
        "    },\n"
        '    "lines": [1, 2]\n'
        "  }\n"
        "}\n"
    )
    assert json.loads(text)["data"] == data


@pytest.mark.parametrize(
    ("choice", "environment", "expected"),
    [
        ("always", {}, "\x1b[31mfine\x1b[0m\n"),
        ("never", {}, "fine\n"),
        ("auto", {}, "fine\n"),
        ("always", {"NO_COLOR": "1"}, "\x1b[31mfine\x1b[0m\n"),
    ],
)
def test_colour_is_the_users_choice(
    choice: str,
    environment: dict[str, str],
    expected: str,
    fault: list[BaseException],
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    main(["probe", "--color", choice])
    assert capsys.readouterr().out == expected


def test_long_options_are_accepted_with_underscores(fault: list[BaseException], capsys: Capture) -> None:
    assert main(["probe", "--max_nodes=7", "--json"]) == 1
    assert '"max_nodes": 7' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["--max_nodes", "a_b"], ["--max-nodes", "a_b"]),
        (["--max_nodes=a_b"], ["--max-nodes=a_b"]),
        (["a_b", "-o", "c_d"], ["a_b", "-o", "c_d"]),
        (["--", "--a_b"], ["--", "--a_b"]),
    ],
)
def test_only_names_of_options_are_respelled(written: list[str], read: list[str]) -> None:
    assert dashed(written) == read


def test_a_closed_pipe_ends_quietly() -> None:
    code = "import sys\nfrom getrace.cli import main\nsys.exit(main(['--help']))\n"
    started = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.close()
    err = started.stderr.read()
    started.stderr.close()
    assert (started.wait(), err) == (0, b"")
