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
        return ("", *case.suite, case.classname, case.name)
    return (case.file, case.classname, case.name)


def repository_path(path: str) -> str:
    """Return a file's path within its repository, with forward slashes."""
    return WORKSPACES.sub("", path.replace("\\", "/")).removeprefix("./")
