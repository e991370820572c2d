"""Who may import whom: the table of ``getrace/README.md``, held by a walk of our own over every import.

import-linter holds the same table (``test_contracts``); this one also sees a module that no contract mentions.
"""

import ast
from pathlib import Path

import pytest
from source_tree import PACKAGES, Module, modules, own_imports

GROUND = (
    "getrace.errors",
    "getrace.ids",
    "getrace.clock",
    "getrace.printable",
    "getrace.whole_file",
    "getrace.options",
    "getrace.rooms",
)
RECORDS = ("getrace.dumps", "getrace.events")
FOR_RUNTIME = ("getrace.bus", *RECORDS, "getrace.ids", "getrace.clock", "getrace.errors")
STORES = ("getrace.store", "getrace.plog")
READERS = (*STORES, "getrace.bus", *RECORDS, *GROUND)

# Room -> what of the project it may import, itself aside. The first row whose room holds the module decides.
ROOMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("getrace.__main__", ("getrace.cli",)),
    ("getrace.cli", PACKAGES),
    ("getrace.errors", ()),
    ("getrace.ids", GROUND),
    ("getrace.clock", GROUND),
    ("getrace.printable", ()),
    ("getrace.whole_file", ("getrace.errors",)),
    ("getrace.options", GROUND),
    ("getrace.rooms", GROUND),
    ("getrace.events", (*RECORDS, *GROUND)),
    ("getrace.dumps", (*RECORDS, *GROUND)),
    ("getrace.bus", (*RECORDS, *GROUND)),
    ("getrace.store", READERS),
    ("getrace.plog", READERS),
    ("getrace.logs", READERS),
    ("getrace.analysis", ("getrace.export", *READERS)),
    ("getrace.export", ("getrace.analysis", *READERS)),
    ("getrace.live", ("getrace.analysis", "getrace.export", "getrace.logs", *READERS)),
    ("getrace.ingest", READERS),
    ("getrace.replay", ("getrace.analysis", "getrace.export", "getrace.ingest", *READERS)),
    ("runtime", FOR_RUNTIME),
    (
        "views",
        ("getrace.store", "getrace.analysis", "getrace.replay", "getrace.live", *RECORDS, *GROUND),
    ),
)

# Inside runtime, top to bottom; rooms on one line may see each other.
RUNTIME = (
    ("api",),
    ("executors",),
    ("subscribers",),
    ("lowering", "gears"),
    ("engines",),
    ("kernels",),
    ("device", "memory", "ops"),
    ("frontend",),
    ("graph",),
    ("values",),
)

# Foreign package -> the rooms that may import it.
FOREIGN = {
    "textual": ("views.tui", "getrace.cli"),
    "rich": ("views.tui", "getrace.cli"),
    "graphviz": ("views.graph",),
    "structlog": ("getrace.logs", "getrace.cli"),
    "duckdb": ("getrace.store.sql",),
}


def within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


def room_of(module: str) -> tuple[str, tuple[str, ...]]:
    if module == "getrace":
        return module, ()
    return next((room, allowed) for room, allowed in ROOMS if within(module, (room,)))


def foreign_imports(module: Module) -> set[str]:
    return {name.partition(".")[0] for name in module.imports()} - set(PACKAGES)


def test_every_module_of_getrace_belongs_to_a_room() -> None:
    assert [
        name for name in modules() if name != "getrace" and not any(within(name, (room,)) for room, _ in ROOMS)
    ] == []


def test_no_module_imports_a_room_above_it() -> None:
    broken = []
    for module in modules().values():
        room, allowed = room_of(module.name)
        # the package root is empty but for the version, and may be asked for it
        strange = sorted(
            name for name in own_imports(module) if not within(name, (room, *allowed)) and name != "getrace"
        )
        broken += [f"{module.name} imports {name}" for name in strange]
    assert broken == []


def test_inside_runtime_imports_point_down() -> None:
    level = {f"runtime.{room}": height for height, rooms in enumerate(RUNTIME) for room in rooms}
    heights = {name: next((high for room, high in level.items() if within(name, (room,))), -1) for name in modules()}
    broken = [
        f"{module.name} imports {name}"
        for module in modules().values()
        for name in sorted(own_imports(module))
        if heights[module.name] >= 0 and 0 <= heights[name] < heights[module.name]
    ]
    assert broken == []


def test_every_module_of_runtime_has_a_height() -> None:
    rooms = tuple(f"runtime.{room}" for level in RUNTIME for room in level)
    assert [name for name in modules() if name.startswith("runtime.") and not within(name, rooms)] == []


@pytest.mark.parametrize("package", FOREIGN)
def test_a_foreign_package_is_imported_in_its_rooms_only(package: str) -> None:
    users = {name for name, module in modules().items() if package in foreign_imports(module)}
    assert sorted(name for name in users if not within(name, FOREIGN[package])) == []


def test_only_the_named_layers_of_views_meet() -> None:
    screens = {name for name in modules() if within(name, ("views.tui",))}
    pure = [module for module in modules().values() if within(module.name, ("views.model", "views.graph"))]
    assert [module.name for module in pure if own_imports(module) & screens] == []


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("import runtime.values", {"runtime.values"}),
        ("from runtime import values", {"runtime.values"}),
        ("from runtime.values import Shape", {"runtime.values"}),
        ("def late():\n    from views.graph import draw", {"views.graph"}),
        ("from . import errors", {"getrace.errors"}),
        ("from .errors import UsageError", {"getrace.errors"}),
        ("import numpy", set()),
    ],
)
def test_the_walk_sees_every_form_of_import(text: str, seen: set[str]) -> None:
    module = Module("getrace.bus", Path("bus.py"), is_package=False, tree=ast.parse(text))
    assert own_imports(module) == seen


def test_a_late_import_is_not_at_module_scope() -> None:
    text = "def late():\n    import runtime.values\nif TYPE_CHECKING:\n    import views.graph\nimport getrace.ids"
    module = Module("getrace.bus", Path("bus.py"), is_package=False, tree=ast.parse(text))
    assert own_imports(module, late=False) == {"getrace.ids"}
