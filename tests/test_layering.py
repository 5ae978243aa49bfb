"""How the modules of llmeval depend on each other, and what each of them says of itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = Path(__file__).parents[1] / "llmeval"
MODULES: Final = sorted(PACKAGE.rglob("*.py"))

LINES: Final = (
    "errors",
    "jsonable limits callables suggestions stats threads loops starter report_schema",
    "attachments project secrets",
    "usage cases criteria environment",
    "options prices naming",
    "consumption sources",
    "evidence results datasets",
    "failures noise trials",
    "summary capture",
    "adapters providers report",
    "assertions events checks gates lifespans",
    "attempts evaluators siblings",
    "imports blueprints selection",
    "evaluations discovery",
    "registry telemetry journal executors grading",
    "declarations archive store trial_runner",
    "listing plans",
    "schedule announcer resuming",
    "concurrent",
    "runner diff",
    "singles regraded_trials",
    "regrading",
    "render",
    "cli pytest_plugin",
    "__main__",
)
"""A module imports only from the lines above its own; a folder is one module, and may import within itself."""

LATE: Final = {
    ("evaluations", "grading"): "an evaluation's methods ask what knows evaluations",
    ("evaluations", "selection"): "likewise",
    ("evaluations", "runner"): "declaring an evaluation imports no runner",
    ("report", "render"): "a notebook asks a report for its HTML",
    ("trials", "render"): "likewise",
    ("evaluators", "imports"): "`evals/judges.py::Quality` is read from a file",
}
"""The imports of a line below, each within a function, and why."""

PLACE: Final = {name: number for number, line in enumerate(LINES) for name in line.split()}


def own_name(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST, late: bool = False) -> Iterator[tuple[str, bool]]:
    """Yields the modules of llmeval that are imported, and whether within a function; not those for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        inner = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "llmeval":
            parts = str(node.module).split(".")
            yield from ((name, inner) for name in ([parts[1]] if len(parts) > 1 else [one.name for one in node.names]))
        elif isinstance(node, ast.Import):
            names = (one.name.split(".") for one in node.names)
            yield from ((parts[1], inner) for parts in names if parts[0] == "llmeval" and len(parts) > 1)
        yield from imported(node, inner)


def definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node


def exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as ruff sorts them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def test_every_module_has_a_line() -> None:
    assert {own_name(path) for path in MODULES} - PLACE.keys() == {"__init__"}
    assert PLACE.keys() - {own_name(path) for path in MODULES} == set()


def test_a_module_imports_only_from_the_lines_above_its_own() -> None:
    wrong = []
    for path in MODULES:
        own = own_name(path)
        if own == "__init__":
            continue
        for name, late in imported(parsed(path)):
            if name in (own, "__version__") or (late and (own, name) in LATE):
                continue
            if PLACE[name] >= PLACE[own]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []


def test_every_exception_is_one() -> None:
    found = {(own_name(path), name) for path in MODULES for name, late in imported(parsed(path)) if late}
    assert LATE.keys() <= found


def test_the_runner_imports_no_renderer_no_command_line_and_no_sdk() -> None:
    for own in ("runner", "trial_runner", "concurrent", "plans", "grading"):
        source = (PACKAGE / f"{own}.py").read_text(encoding="utf-8")
        names = {name for name, _ in imported(ast.parse(source))}
        assert not names & {"render", "cli", "pytest_plugin"}
        assert not any(f"import {sdk}" in source for sdk in ("openai", "anthropic", "rich", "typer"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_a_module_exports_is_there_and_sorted(path: Path) -> None:
    names = exported(parsed(path)) or []
    assert names == sorted(set(names), key=order)
    assert set(names) <= set(_bound(parsed(path)))


def test_what_a_module_imports_from_another_is_exported_there() -> None:
    exports = {_dotted(path): exported(parsed(path)) for path in MODULES}
    wrong = []
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            names = exports.get(str(node.module)) if isinstance(node, ast.ImportFrom) else None
            if names is not None:
                modules = {name.rpartition(".")[2] for name in exports if name.startswith(f"{node.module}.")}
                missing = [one.name for one in node.names if one.name not in {*names, *modules, "__version__"}]
                wrong += [f"{path.relative_to(PACKAGE)}: {name} of {node.module}" for name in missing]
    assert wrong == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_public_module_class_and_function_says_what_it_is(path: Path) -> None:
    tree = parsed(path)
    silent = [] if ast.get_docstring(tree) else ["the module"]
    public = set(exported(tree) or ())
    for node in definitions(tree):
        if public and node.name not in public:
            continue
        silent += [] if ast.get_docstring(node) else [node.name]
    assert silent == []


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (one.asname or one.name for one in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
