"""Which runs of a repository are asked for."""

from django import forms
from django.db.models import QuerySet

from triage.models import Run
from triage.models.choices import choices
from triage.terms import Conclusion

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
