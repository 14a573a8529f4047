"""Where a wheel keeps the programs it brings, without importing the wheel."""

from importlib.util import find_spec
from pathlib import Path


def folder_in_wheel(package: str, *parts: str) -> Path | None:
    """Return a folder inside an installed package, or None when there is no such folder.

    Both wheels warn or write to the home folder when imported, and warnings are errors here.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent.joinpath(*parts)
    return folder if folder.is_dir() else None
