"""What an import does: which packages it loads, and that it does no work."""

import json
import subprocess
import sys

import pytest
from source_tree import ROOT, modules

ALL_FOREIGN = ("numpy", "textual", "rich", "graphviz", "structlog", "duckdb", "zstandard")
SCREENS = ("textual", "rich")

# Room -> what must not be loaded after all its modules were imported.
NOT_LOADED: dict[str, tuple[str, ...]] = {
    "getrace.errors": (*ALL_FOREIGN, "runtime", "views"),
    "getrace.ids": (*ALL_FOREIGN, "runtime", "views"),
    "getrace.clock": (*ALL_FOREIGN, "runtime", "views"),
    "getrace.bus": (*ALL_FOREIGN, "runtime", "views"),
    "getrace.events": (*ALL_FOREIGN, "runtime", "views"),
    "getrace.store": (*SCREENS, "graphviz", "structlog", "duckdb", "runtime", "views"),
    "getrace.plog": (*SCREENS, "graphviz", "structlog", "duckdb", "runtime", "views"),
    "getrace.analysis": (*SCREENS, "graphviz", "structlog", "duckdb", "runtime", "views"),
    "runtime": (*SCREENS, "graphviz", "structlog", "duckdb", "views", "getrace.store", "getrace.plog", "getrace.cli"),
    "views.model": (*SCREENS, "graphviz", "structlog", "duckdb", "runtime", "getrace.cli"),
    "views.graph": (*SCREENS, "structlog", "duckdb", "runtime", "getrace.cli"),
    "views.tui": ("structlog", "duckdb", "runtime", "getrace.cli"),
}

# The audit hook sees what a module does while it is imported; reading files is what importing is.
_PROBE = """
import importlib, json, sys, threading
work = []
def hook(event, args):
    if event in {"socket.__new__", "subprocess.Popen", "os.mkdir", "os.remove", "os.rename", "sqlite3.connect"}:
        work.append(event)
    elif event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        work.append(f"open {args[0]} {args[1]}")
sys.addaudithook(hook)
names, forbidden = json.loads(sys.argv[1])
for name in names:
    importlib.import_module(name)
seen = sys.modules
print(json.dumps({
    "loaded": [name for name in forbidden if name in seen],
    "work": work,
    "threads": threading.active_count(),
}))
"""


def probe(code: str, *arguments: str) -> str:
    command = [sys.executable, "-B", "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout


@pytest.mark.parametrize("room", NOT_LOADED)
def test_importing_a_room_loads_what_it_may_and_does_no_work(room: str) -> None:
    names = [name for name in modules() if name == room or name.startswith(f"{room}.")]
    answer = json.loads(probe(_PROBE, json.dumps([names, NOT_LOADED[room]])))
    assert names
    assert answer == {"loaded": [], "work": [], "threads": 1}


def test_importing_getrace_loads_nothing_else() -> None:
    answer = json.loads(probe(_PROBE, json.dumps([["getrace"], [*ALL_FOREIGN, "runtime", "views", "getrace.cli"]])))
    assert answer == {"loaded": [], "work": [], "threads": 1}


def test_the_version_is_told_without_the_rooms() -> None:
    code = (
        "import sys; sys.argv = ['getrace', '--version']\n"
        "from getrace.cli import main\n"
        "try:\n    code = main()\nexcept SystemExit as end:\n    code = end.code\n"
        "rooms = ('numpy', 'textual', 'rich', 'graphviz', 'duckdb', 'runtime', 'views')\n"
        "print(code or 0, [name for name in rooms if name in sys.modules])"
    )
    lines = probe(code).splitlines()
    assert "0.1.0" in lines[0]
    assert lines[-1] == "0 []"
