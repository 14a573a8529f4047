"""Run the soak and print its table; exit with 1 when an invariant does not hold."""

import argparse
import os
import sys

from tests.benchmarks.storage.database import product_database


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # GitHub's deliveries come from Django's own client.
    os.environ["ALLOWED_HOSTS"] = "testserver,127.0.0.1"
    with product_database():
        # Tables can be imported once there is a database to have them.
        from tests.soak.weeks import live

        return live(options.days, options.seed)


if __name__ == "__main__":
    sys.exit(main())
