"""What makes two entries of reports the same case."""

import hashlib
import re
import unicodedata

from triage.parse.report import CaseName

# Checkouts of CI systems: where a runner put the repository is no part of a test's name.
WORKSPACES = re.compile(
    r"^(?:/home/runner/work/[^/]+/[^/]+/|/github/workspace/|/workspace/|/__w/[^/]+/[^/]+/"
    r"|/builds/[^/]+/[^/]+/|/root/project/|/home/circleci/project/|/bitbucket/pipelines/agent/build/"
    r"|/var/lib/jenkins/workspace/[^/]+/|[A-Za-z]:/a/\d+/s/|[A-Za-z]:/a/[^/]+/[^/]+/)"
)
# xmlrunner: "mod.Case-20261201010914"; others write ISO times.
RUN_TIME = re.compile(r"[-_ @]?(?:\d{14}|\d{4}-\d\d-\d\d[T _-]\d\d[:_-]\d\d(?:[:_-]\d\d)?\S*)")
TEMPORARY_FOLDER = re.compile(
    r"(?:/private)?/(?:tmp|var/folders/\w+/\w+/T)/[\w.-]+/|[A-Za-z]:[\\/]\S*?[\\/]Temp[\\/][\w.-]+[\\/]"
)
# Reporters that write the same class name for every test say nothing by it.
CONSTANT_CLASSNAMES = frozenset({"", "test", "tests", "unknown", "undefined"})


def case_key(case: CaseName) -> str:
    """Return the key of a case, SHA-256 in hex.

    Class name and name, with the file when one is told; the path of suites only where the class
    name says nothing. Never part of it: host, time, run, position.
    """
    parts = identity_parts(case)
    digest = hashlib.sha256()
    for part in parts:
        digest.update(unicodedata.normalize("NFC", part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def identity_parts(case: CaseName) -> tuple[str, ...]:
    """Return what the key is made of."""
    if case.classname in CONSTANT_CLASSNAMES and not case.file:
        return ("", *map(_without_run, case.suite), case.classname, case.name)
    return (case.file, case.classname, case.name)


def _without_run(suite: str) -> str:
    """Return a suite's name without what names one run: its time, its temporary folder."""
    return TEMPORARY_FOLDER.sub("", RUN_TIME.sub("", suite))


def repository_path(path: str) -> str:
    """Return a file's path within its repository, with forward slashes."""
    return WORKSPACES.sub("", path.replace("\\", "/")).removeprefix("./")
