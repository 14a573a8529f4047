"""What import-linter cannot hold: packages that import nothing, modules that load no framework."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
FRAMEWORKS = ("django", "celery", "ninja")
PURE_FOLDERS = ("triage/parse", "triage/classify", "budgets")
PURE_MODULES = ("triage.terms", "triage.errors", "triage.verdict.rules")
# The database's side of the budgets.
DATABASE_MODULES = {"apps", "models", "ledger", "accounts"}


def pure_modules() -> list[str]:
    """Return the dotted names of all modules that must work without a framework."""
    files = [file for folder in PURE_FOLDERS for file in (PROJECT / folder).glob("*.py")]
    names = [
        f"{file.parent.relative_to(PROJECT)}/{file.stem}".replace("/", ".")
        for file in files
        if file.stem not in DATABASE_MODULES | {"__init__"}
    ]
    return sorted([*PURE_MODULES, *names])


@pytest.mark.parametrize("package", ["triage", "budgets"])
def test_a_top_package_holds_a_docstring_and_imports_nothing(package: str) -> None:
    tree = ast.parse((PROJECT / package / "__init__.py").read_text())
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


def test_mathematics_and_rules_load_no_framework() -> None:
    """A chain of imports through a module that is allowed a framework shows only at run time."""
    program = (
        "import importlib, sys\n"
        f"for name in {pure_modules()!r}: importlib.import_module(name)\n"
        f"print(sorted(set(sys.modules) & set({FRAMEWORKS!r})))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=PROJECT, text=True, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
