"""How the product stands on PostgreSQL; every figure beside a floor or a peer of the same run."""

import argparse
import sys

from tests.benchmarks.storage import clients, growth, pages, peer, pruning, uploads, workers
from tests.benchmarks.storage.database import product_database

PARTS = {
    "a": uploads.main,
    "b": workers.main,
    "c": growth.main,
    "f": peer.main,
    "g": clients.main,
    "h": pruning.main,
    "i": pages.main,
}


def main() -> int:
    """Run the parts asked for, or all of them; return 1 when a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    with product_database():
        results = {part: PARTS[part]() for part in parser.parse_args().parts}
    broken = [part for part, is_good in results.items() if not is_good]
    print(f"BAD: bounds are broken in {', '.join(broken)}" if broken else "all within bounds")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
