"""The one comment on a pull request, found again by its number, else by marker and author."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from triage.publish.comment import MARKER
from triage.publish.forge import GoneForgeError, Shown
from triage.publish.github.failures import translated

# Nobody reads so far back; a comment that old is not found again, and a new one is made.
MOST_COMMENTS = 1_000


def set_sticky_comment(
    issue: Any, body: str, known: int | None, author: Callable[[], str]
) -> Shown:
    """Show a comment: edited in place, made only if there is none.

    Anybody may write the marker, so that a comment of somebody else is never taken for ours.
    """
    with translated():
        comment = _by_number(issue, known) or _by_marker(issue, author)
        if comment is None:
            return Shown(issue.create_comment(body).id)
        if comment.body != body:
            comment.edit(body)
        return Shown(comment.id)


def _by_number(issue: Any, known: int | None) -> Any:
    if known is None:
        return None
    try:
        with translated():
            comment = issue.get_comment(known)
            comment.complete()
            return comment
    except GoneForgeError:
        # Somebody deleted it; a new one is made.
        return None


def _by_marker(issue: Any, author: Callable[[], str]) -> Any:
    for comment in islice(issue.get_comments(), MOST_COMMENTS):
        if comment.body.startswith(MARKER) and comment.user.login == author():
            return comment
    return None
