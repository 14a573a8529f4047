"""Where files are: in a checkout beside the package, in an installed copy inside of it."""

from pathlib import Path

import pytest

from triage.paths import PACKAGE_DIR, default_data_dir, docs_dir, is_checkout


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The folder of a package that is installed somewhere."""
    return tmp_path / "site-packages" / "triage"


def test_this_copy_is_a_checkout_with_its_documentation() -> None:
    assert is_checkout()
    assert docs_dir() == PACKAGE_DIR.parent / "docs"
    assert (docs_dir() / "index.md").is_file()


def test_a_checkout_keeps_its_data_wherever_one_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert default_data_dir() == PACKAGE_DIR.parent / "data"


def test_an_installed_copy_keeps_no_data_beside_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    assert not is_checkout(package)
    assert docs_dir(package) == package / "docs"
    assert default_data_dir(package) == tmp_path / "data"
