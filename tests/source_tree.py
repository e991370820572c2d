"""The project's own source, parsed: what the architecture tests look at."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("getrace", "runtime", "views")


@dataclass(frozen=True, slots=True)
class Module:
    """One file: its dotted name, whether it is a package's ``__init__``, and its tree."""

    name: str
    path: Path
    is_package: bool
    tree: ast.Module

    def imports(self, *, late: bool = True) -> Iterator[str]:
        """Yield the dotted names that are imported; ``late`` includes those inside functions."""
        for node in ast.walk(self.tree) if late else _at_module_scope(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                origin = self._origin(node)
                yield from (f"{origin}.{alias.name}" for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        package = parts[: len(parts) - node.level + (1 if self.is_package else 0)]
        return ".".join([*package, *([node.module] if node.module else [])])


def _at_module_scope(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what runs when the module is imported: not the insides of functions, not what only a checker reads."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))


@cache
def modules() -> dict[str, Module]:
    """Give every module of the three packages by dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            found[name] = Module(name, path, is_package, ast.parse(path.read_text(encoding="utf-8")))
    return found


def own_imports(module: Module, *, late: bool = True) -> set[str]:
    """Give the project's modules that a module imports: ``from a.b import c`` is ``a.b.c`` if that is a module."""
    known = modules()
    names = set()
    for imported in module.imports(late=late):
        target = imported if imported in known else imported.rpartition(".")[0]
        if target in known:
            names.add(target)
    return names - {module.name}


def python_files() -> list[Path]:
    """Give every Python file of the project, the tests and samples too."""
    folders = (*PACKAGES, "samples", "tests")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
