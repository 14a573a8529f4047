"""The command line: help that begins with the product, its version, clear refusals."""

import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import get_commands

from triage.management.command_line import CommandLine, main
from triage.version import VERSION

PROJECT = Path(__file__).parents[2]


def test_help_tells_what_every_command_of_the_product_does_before_those_of_django() -> None:
    help_text = CommandLine(["/usr/bin/tiebreak", "help"]).main_help_text()

    own, _, of_django = help_text.partition("Other commands of Django: ")
    assert own.startswith("usage: tiebreak COMMAND [OPTIONS]\n")
    for name, package in get_commands().items():
        if package == "triage":
            told = import_module(f"triage.management.commands.{name}").__doc__ or ""
            assert f"  {name:18} {told.splitlines()[0]}\n" in own
    assert "  migrate            Bring the tables" in own
    assert "shell" in of_django
    assert "triage" not in of_django


def test_the_version_is_the_products(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiebreak", "--version"]) == 0
    assert main(["tiebreak", "version"]) == 0

    assert capsys.readouterr().out == f"tiebreak {VERSION}\n" * 2


def test_an_unknown_command_is_named_with_a_similar_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tiebreak", "docter"])

    assert ended.value.code == 1
    told = "Unknown command: 'docter'. Did you mean doctor?\nType 'tiebreak help' for usage.\n"
    assert capsys.readouterr().err == told


def test_names_alone_are_for_completion(capsys: pytest.CaptureFixture[str]) -> None:
    main(["tiebreak", "help", "--commands"])

    assert {"doctor", "migrate", "serve"} <= set(capsys.readouterr().out.split())


def test_usage_names_the_program_that_was_called(capsys: pytest.CaptureFixture[str]) -> None:
    for program in ("tiebreak", "manage.py"):
        main([program, "help", "doctor"])
        assert capsys.readouterr().out.startswith(f"usage: {program} doctor ")


def test_the_installed_command_is_the_one_of_manage_py() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]

    assert project["scripts"] == {"tiebreak": f"{main.__module__}:{main.__name__}"}
