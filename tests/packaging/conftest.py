"""A wheel of this tree, and a place of its own where it is installed."""

import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.packaging.installed import Installed

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``pip wheel .`` makes, by the build backend of the development packages."""
    folder = tmp_path_factory.mktemp("wheel")
    run_python(sys.executable, "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own, which takes its dependencies from this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    python = str(folder / "venv" / "bin" / "python")
    pip = ("--python", python, "install", "--quiet", "--disable-pip-version-check")
    run_python(sys.executable, "pip", *pip, "--no-index", "--no-deps", str(wheel))
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # Last, since pip would find the product's development installation by it.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    return Installed(folder / "venv" / "bin", packages, folder / "work")


def run_python(python: str, module: str, *arguments: str) -> None:
    """Run a module in the tree; the error says what it printed."""
    command = [python, "-m", module, *arguments]
    done = subprocess.run(command, cwd=PROJECT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
