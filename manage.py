#!/usr/bin/env python
"""The command ``tiebreak`` of a checkout, before and without installing it."""

import sys

from triage.management.command_line import main

if __name__ == "__main__":
    sys.exit(main())
