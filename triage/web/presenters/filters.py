"""Which runs, cases and uploads of a repository are asked for."""

from enum import StrEnum

from django import forms
from django.db.models import QuerySet

from triage.models import Case, Run, Upload
from triage.models.choices import choices
from triage.terms import Conclusion, UploadState

HIGHEST_NUMBER = 2**31 - 1


class RunFilter(forms.Form):
    """The filter of a list of runs, as the URL holds it; a field that is wrong filters nothing."""

    conclusion = forms.ChoiceField(choices=[("", "any"), *choices(Conclusion)], required=False)
    branch = forms.CharField(max_length=255, required=False)
    pr = forms.IntegerField(
        min_value=1,
        max_value=HIGHEST_NUMBER,
        required=False,
        error_messages={"invalid": "A pull request is a whole number, such as 42."},
    )

    def narrow(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        """Return the runs that fit."""
        self.full_clean()
        asked = self.cleaned_data
        if asked.get("conclusion"):
            runs = runs.filter(verdicts__is_current=True, verdicts__conclusion=asked["conclusion"])
        if asked.get("branch"):
            runs = runs.filter(branch=asked["branch"])
        if asked.get("pr"):
            runs = runs.filter(pr=asked["pr"])
        return runs

    @property
    def is_narrow(self) -> bool:
        """Whether anything is filtered."""
        return any(self.cleaned_data.values())


class CaseOrder(StrEnum):
    """What a list of cases is sorted by."""

    FLIPS = "flips"
    WORDING = "wording"
    UNCERTAINTY = "uncertainty"
    SEEN = "seen"
    NAME = "name"


ORDER_WORDS = {
    CaseOrder.FLIPS: "most label flips",
    CaseOrder.WORDING: "most wording differences",
    CaseOrder.UNCERTAINTY: "least certain rate",
    CaseOrder.SEEN: "last seen",
    CaseOrder.NAME: "name",
}


class CaseFilter(forms.Form):
    """The filter of a list of cases, as the URL holds it; a field that is wrong filters nothing."""

    q = forms.CharField(max_length=200, required=False)
    kind = forms.ChoiceField(
        choices=[("", "all cases"), ("llm", "LLM cases"), ("other", "other cases")], required=False
    )
    sort = forms.ChoiceField(
        choices=[(each.value, word) for each, word in ORDER_WORDS.items()], required=False
    )

    @property
    def order(self) -> CaseOrder:
        """What is sorted by."""
        return CaseOrder(self.cleaned_data.get("sort") or CaseOrder.FLIPS)

    def narrow(self, cases: QuerySet[Case]) -> QuerySet[Case]:
        """Return the cases that fit: every word of the search stands in the name."""
        self.full_clean()
        asked = self.cleaned_data
        for word in asked.get("q", "").split():
            cases = cases.filter(title__icontains=word)
        if asked.get("kind"):
            cases = cases.filter(is_llm=asked["kind"] == "llm")
        return cases

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return bool(self.cleaned_data.get("q") or self.cleaned_data.get("kind"))


class UploadFilter(forms.Form):
    """The filter of a list of uploads; a state that does not exist filters nothing."""

    state = forms.ChoiceField(choices=[("", "any"), *choices(UploadState)], required=False)

    def narrow(self, uploads: QuerySet[Upload]) -> QuerySet[Upload]:
        """Return the uploads that fit."""
        self.full_clean()
        state = self.cleaned_data.get("state")
        return uploads.filter(state=state) if state else uploads

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return bool(self.cleaned_data.get("state"))
