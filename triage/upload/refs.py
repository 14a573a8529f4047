"""Read a git ref as CI systems tell it: a branch, or a pull request and whether it is merged."""

import re
from dataclasses import dataclass

PULL_REQUEST_REF = re.compile(r"(?:refs/pull/)?(\d{1,10})/(merge|head)")
BRANCH_REF = "refs/heads/"


@dataclass(frozen=True, slots=True)
class Ref:
    """What a ref names; the commit of a merged one is not the head of its pull request."""

    branch: str = ""
    pr: int | None = None
    is_merge: bool = False


def read_ref(ref: str) -> Ref:
    """Return the branch or the pull request that a ref names."""
    found = PULL_REQUEST_REF.fullmatch(ref)
    if found:
        return Ref(pr=int(found[1]), is_merge=found[2] == "merge")
    if ref.startswith("refs/pull/"):
        return Ref()
    return Ref(branch=ref.removeprefix(BRANCH_REF))
