"""What a git ref names."""

import pytest

from triage.upload.refs import Ref, read_ref


@pytest.mark.parametrize(
    ("told", "ref"),
    [
        ("refs/pull/42/merge", Ref(pr=42, is_merge=True)),
        ("refs/pull/42/head", Ref(pr=42)),
        ("42/merge", Ref(pr=42, is_merge=True)),
        ("refs/heads/feature/x", Ref("feature/x")),
        ("main", Ref("main")),
        ("refs/pull/x", Ref()),
        ("", Ref()),
    ],
)
def test_a_ref_is_a_branch_or_a_pull_request(told: str, ref: Ref) -> None:
    assert read_ref(told) == ref
