"""The wheel carries all that the program opens when it runs, and nothing else."""

import re
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

from tests.packaging.conftest import PROJECT
from triage.version import VERSION

NOT_CODE = {"__pycache__"}


def files_of(folder: str) -> Iterator[str]:
    """Return the files below a folder of the tree, by their paths in it."""
    for file in (PROJECT / folder).rglob("*"):
        if file.is_file() and not NOT_CODE & set(file.parts):
            yield file.relative_to(PROJECT).as_posix()


def test_it_holds_the_packages_and_the_documentation_and_no_test(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    packages = {*files_of("triage"), *files_of("budgets")}
    assert held == packages | {f"triage/{name}" for name in files_of("docs")}
    for needed in (
        "triage/templates/base.html",
        "triage/static/css/base.css",
        "triage/docs/index.md",
        "triage/docs/images/near-tie-held.png",
        "triage/demo/data/answers.csv",
        "triage/migrations/0001_initial.py",
        "budgets/migrations/0001_initial.py",
    ):
        assert needed in held
    assert not [name for name in held if re.search(r"(^|/)(tests?/|test_|conftest)", name)]


def test_its_version_is_the_newest_one_of_the_changelog(wheel: Path) -> None:
    versions = re.findall(r"^## (\d+\.\d+\.\d+)$", (PROJECT / "CHANGELOG.md").read_text(), re.M)
    with ZipFile(wheel) as archive:
        about = archive.read(f"tiebreak-{VERSION}.dist-info/METADATA").decode()

    assert versions[0] == VERSION
    assert HeaderParser().parsestr(about)["Version"] == versions[0]
