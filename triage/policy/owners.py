"""Who owns the file of a case, by CODEOWNERS: the last line that fits counts, as on a forge.

https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from codeowners import CodeOwners

from triage.policy.matching import NamedCase, spellings

# A comment may follow the owners; what it mentions owns nothing.
COMMENT = re.compile(r"(?:^|\s)#.*")
MOST_OWNERS = 10


def owners_of(codeowners: str, case: NamedCase) -> tuple[str, ...]:
    """Return the owners of a case; none where its file is not known or owned by nobody."""
    if not codeowners:
        return ()
    rules = _rules(codeowners)
    for path in _paths(case):
        owners = tuple(name for _, name in rules.of(path))[:MOST_OWNERS]
        if owners:
            return owners
    return ()


def _paths(case: NamedCase) -> Iterator[str]:
    """Yield where the case may stand: the file that was told, else what its names mean."""
    if case.file:
        yield case.file.replace("\\", "/").removeprefix("./")
        return
    yield from dict.fromkeys(path for path, _ in spellings(case) if "/" in path)


@lru_cache(maxsize=64)
def _rules(text: str) -> CodeOwners:
    lines = [COMMENT.sub("", line) for line in text.splitlines()]
    return CodeOwners("\n".join(line for line in lines if _is_legal(line)))


def _is_legal(line: str) -> bool:
    """Whether a line can be read; a forge skips one that cannot, and so do we."""
    try:
        CodeOwners(line)
    except (ValueError, re.error):
        return False
    return True
