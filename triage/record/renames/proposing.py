"""Propose that a newcomer is a case that has just disappeared: same prompt, same labels."""

from collections import defaultdict
from collections.abc import Iterable

from triage.models import Case, CaseRename, Epoch, EpochLabel, Run

# Prompt hash and expected labels: what a rename leaves alone.
Likeness = tuple[str, frozenset[str]]


def propose_renames(run: Run) -> None:
    """Propose the renames that a reference run shows. The caller holds the repository's lock."""
    newcomers = Case.objects.filter(
        repository_id=run.repository_id, is_llm=True, first_seen_at=run.at
    )
    before = (
        Run.objects.filter(repository_id=run.repository_id, is_reference=True, at__lt=run.at)
        .order_by("-at")
        .first()
    )
    if before is None or not newcomers.exists():
        return
    gone = Case.objects.filter(repository_id=run.repository_id, is_llm=True, last_seen_at=before.at)
    _propose(run, _by_likeness(gone), _by_likeness(newcomers))


def open_renames(repository_id: int) -> list[CaseRename]:
    """Return the proposals that still hold: the old name has not been seen again; one query."""
    proposed = CaseRename.objects.filter(repository_id=repository_id, state="proposed")
    return [
        each
        for each in proposed.select_related("old", "new").order_by("proposed_at", "pk")
        if each.old and each.new and each.old.last_seen_at < each.new.first_seen_at
    ]


def _propose(run: Run, gone: dict[Likeness, list[Case]], new: dict[Likeness, list[Case]]) -> None:
    for likeness, cases in new.items():
        candidates = gone.get(likeness, [])
        # Several that look alike cannot be told apart; a person or the policy names them.
        if len(cases) == len(candidates) == 1:
            old, newcomer = candidates[0], cases[0]
            CaseRename.objects.get_or_create(
                old=old,
                new=newcomer,
                defaults={
                    "repository_id": run.repository_id,
                    "old_title": old.title,
                    "new_title": newcomer.title,
                    "evidence": f"same prompt {likeness[0][:10]} and labels; one went as the "
                    "other came",
                    "proposed_at": run.at,
                },
            )


def _by_likeness(cases: Iterable[Case]) -> dict[Likeness, list[Case]]:
    found: dict[Likeness, list[Case]] = defaultdict(list)
    by_id = {case.pk: case for case in cases}
    newest: dict[int, Epoch] = {}
    for epoch in (
        Epoch.objects.filter(case_id__in=by_id).exclude(prompt_sha256="").order_by("number")
    ):
        newest[epoch.case_id] = epoch
    expected: dict[int, set[str]] = defaultdict(set)
    rows = EpochLabel.objects.filter(epoch__in=[epoch.pk for epoch in newest.values()])
    for epoch_id, label in rows.values_list("epoch_id", "expected"):
        expected[epoch_id].add(label)
    for case_id, epoch in newest.items():
        found[epoch.prompt_sha256, frozenset(expected[epoch.pk])].append(by_id[case_id])
    return found
