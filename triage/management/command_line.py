"""The command line, as ``tiebreak`` or ``manage.py``: the product's commands and Django's."""

import ast
import os
import sys
from collections.abc import Sequence
from importlib.resources import files

from django.core.exceptions import ImproperlyConfigured
from django.core.management import ManagementUtility, get_commands

from triage.version import VERSION

# What an operator needs of the framework's commands.
OF_DJANGO = {
    "migrate": "Bring the tables of the database up to date.",
    "createsuperuser": "Make the account of an administrator with a password, asking for both.",
}


class CommandLine(ManagementUtility):
    """Django's command line with the product's version, and its commands first in the help."""

    def execute(self) -> None:
        """Run the command that the arguments name."""
        if self.argv[1:] in (["--version"], ["version"]):
            sys.stdout.write(f"tiebreak {VERSION}\n")
            return
        super().execute()

    def main_help_text(self, commands_only: bool = False) -> str:  # noqa: FBT001, FBT002
        """Return what ``help`` prints; with ``commands_only`` nothing but names."""
        if commands_only:
            return super().main_help_text(commands_only=True)
        own = [name for name, package in sorted(get_commands().items()) if package == "triage"]
        summaries = {name: _summary(name) for name in own}
        others = sorted(set(get_commands()) - set(own) - set(OF_DJANGO))
        return "\n".join(
            [
                f"usage: {self.prog_name} COMMAND [OPTIONS]",
                f"       {self.prog_name} COMMAND --help",
                f"       {self.prog_name} --version",
                "",
                *_table(summaries),
                "",
                "Tables and accounts:",
                *_table(OF_DJANGO),
                "",
                f"Other commands of Django: {', '.join(others)}",
            ]
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; a wrong setting ends it with status 2."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
    try:
        CommandLine(list(arguments or sys.argv)).execute()
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _summary(command: str) -> str:
    # Importing all of them would take seconds.
    source = (files("triage.management.commands") / f"{command}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def _table(told: dict[str, str]) -> list[str]:
    return [f"  {name:18} {summary}" for name, summary in told.items()]
