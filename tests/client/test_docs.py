"""docs/client.md names what there is: options, systems, properties."""

import re
from pathlib import Path

from triage.client import RUNNERS, SYSTEMS, TOLD, WRITTEN

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text()


def test_every_system_is_named() -> None:
    assert {system.name for system in SYSTEMS} <= set(re.findall(r"^\| ([\w ]+) \|", PAGE, re.M))


def test_every_property_that_is_written_is_named_and_no_other_one() -> None:
    table = PAGE.split("| property | from |")[1].split("**Never stored")[0]
    named = set(re.findall(r"`((?:gen_ai|tiebreak)\.[\w.]+)`", table))
    assert named == WRITTEN


def test_every_option_and_runner_is_named() -> None:
    for name in TOLD:
        assert f"`--{name.replace('_', '-')}`" in PAGE
    for runner in RUNNERS:
        assert re.search(rf"^\| {runner} \|", PAGE, re.M | re.I)
