"""Where the files of this copy are: a checkout keeps some of them beside the package."""

from pathlib import Path

PACKAGE_DIR = Path(__file__).resolve().parent


def is_checkout(package_dir: Path = PACKAGE_DIR) -> bool:
    """Tell whether the package stands in a checkout, not in a folder of installed packages."""
    return (package_dir.parent / "manage.py").is_file()


def docs_dir(package_dir: Path = PACKAGE_DIR) -> Path:
    """Return the folder of the documentation; a wheel carries it inside of the package."""
    return (package_dir.parent if is_checkout(package_dir) else package_dir) / "docs"


def default_data_dir(package_dir: Path = PACKAGE_DIR) -> Path:
    """Return the folder of the data where none is set: of the checkout, or where one works."""
    return (package_dir.parent if is_checkout(package_dir) else Path.cwd()) / "data"
