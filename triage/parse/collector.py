"""Pause the collector of cycles while a report becomes a hundred thousand objects and rows."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Leave objects to their reference counts for the length of a block.

    The collector looks at all new objects again and again, for a third of the time of reading.
    Two threads may pause it at once: the first to end wakes it, which costs time and no more.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
