"""Changes that the product proposes to a policy: a diff to commit, comments kept, never an edit."""

import difflib
import io
from collections.abc import Callable
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

FILE = ".tiebreak.yml"
EMPTY = "version: 1\n"


def propose_tie_break(text: str, pattern: str, pair: tuple[str, str]) -> str:
    """Return the diff that gives a pair of labels a second pass of its own.

    Parameters
    ----------
    text : str
        The policy in force, which is legal; empty where there is none.
    pattern : str
        Cases that the tie-break holds for.
    pair : tuple of str
        The two labels.

    Returns
    -------
    str
        A unified diff of ``.tiebreak.yml``.
    """

    def change(policy: CommentedMap) -> None:
        rules = policy.setdefault("labels", CommentedSeq())
        rule = next((each for each in rules if each.get("match") == pattern), None)
        if rule is None:
            rule = CommentedMap({"match": pattern})
            # The first rule that matches holds, so that the new one stands before wider ones.
            rules.insert(0, rule)
        tie_break = _in_one_line({"policy": "second_pass", "passes": 5, "agree": 4})
        entry = CommentedMap({"labels": _list_in_one_line(pair), "tie_break": tie_break})
        rule.setdefault("pairs", CommentedSeq()).append(entry)

    return _diff(text or EMPTY, change)


def propose_rename(text: str, old: str, new: str) -> str:
    """Return the diff that lists a rename in the policy."""

    def change(policy: CommentedMap) -> None:
        renames = policy.setdefault("renames", CommentedSeq())
        renames.append(_in_one_line({"from": old, "to": new}))

    return _diff(text or EMPTY, change)


def _diff(text: str, change: Callable[[CommentedMap], None]) -> str:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 100
    yaml.indent(mapping=2, sequence=4, offset=2)
    policy = yaml.load(text)
    change(policy)
    written = io.StringIO()
    yaml.dump(policy, written)
    lines = difflib.unified_diff(
        text.splitlines(keepends=True),
        written.getvalue().splitlines(keepends=True),
        f"a/{FILE}",
        f"b/{FILE}",
    )
    return "".join(lines)


def _in_one_line(values: dict[str, Any]) -> CommentedMap:
    mapping = CommentedMap(values)
    mapping.fa.set_flow_style()
    return mapping


def _list_in_one_line(values: tuple[str, ...]) -> CommentedSeq:
    sequence = CommentedSeq(values)
    sequence.fa.set_flow_style()
    return sequence
