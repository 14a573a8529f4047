"""What people read of a case: file::class::name, nothing said twice."""

from triage.parse.report import CaseName

TITLE_LENGTH = 3000


def title_of(case: CaseName) -> str:
    """Return the title of a case."""
    suite = " › ".join(part for part in case.suite if part)
    where = case.file or case.classname or suite
    class_ = case.classname if case.file and not _repeats(case.classname, case.file) else ""
    pieces = [where, class_, case.name if case.name != case.classname else ""]
    return "::".join(piece for piece in pieces if piece)[:TITLE_LENGTH] or "(no name)"


def _repeats(classname: str, file: str) -> bool:
    """Whether a class name only spells the file: "tests.evals.test_a" of tests/evals/test_a.py."""
    return classname == file or file.rsplit(".", 1)[0].replace("/", ".").endswith(classname)
