#!/usr/bin/env python
"""The command line: every Django command and the product's own."""

import os
import sys


def main() -> int:
    """Run the command in ``sys.argv``; a wrong setting ends it with status 2."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
