"""What a rate means for a suite: how often it is red, and what a budget would allow."""

import math
from dataclasses import dataclass

from django import forms
from django.http import QueryDict

from budgets.allowances import allowance
from budgets.cadence import calls_to_see, chance_of_red

# The published measurement that the product starts from: 12 divergences in 500 calls.
START = {"rate": "2.4", "calls": "1", "cases": "200", "runs": "20", "days": "30"}
MOST = 100_000


class WhatIfForm(forms.Form):
    """The five numbers of the calculator, each with what is legal."""

    rate = forms.FloatField(label="Divergences per 100 calls", min_value=0.001, max_value=99.9)
    calls = forms.IntegerField(label="Calls per case", min_value=1, max_value=MOST)
    cases = forms.IntegerField(label="LLM cases per suite", min_value=1, max_value=MOST)
    runs = forms.IntegerField(label="Runs per day", min_value=1, max_value=MOST)
    days = forms.IntegerField(label="Days of the window", min_value=1, max_value=365)


@dataclass(frozen=True, slots=True)
class Consequences:
    """What follows from the numbers."""

    case_red: float
    suite_red: float
    due_per_run: float
    red_runs_per_day: float
    calls_in_window: int
    allowance: int
    limit: int
    calls_to_see: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The form as it was filled in, and what follows from it when it is legal."""

    form: WhatIfForm
    consequences: Consequences | None


def what_if(parameters: QueryDict) -> WhatIf:
    """Return the calculator for the numbers in the address; it starts from 12 of 500."""
    form = WhatIfForm({name: parameters.get(name, start) for name, start in START.items()})
    return WhatIf(form, _consequences(form) if form.is_valid() else None)


def _consequences(form: WhatIfForm) -> Consequences:
    told = form.cleaned_data
    rate = told["rate"] / 100
    per_case = float(chance_of_red(rate, told["calls"]))
    per_suite = float(chance_of_red(rate, told["calls"] * told["cases"]))
    in_window = told["calls"] * told["runs"] * told["days"]
    return Consequences(
        case_red=per_case,
        suite_red=per_suite,
        due_per_run=per_case * told["cases"],
        red_runs_per_day=per_suite * told["runs"],
        calls_in_window=in_window,
        allowance=int(allowance(rate, in_window)),
        limit=int(allowance(rate, in_window, 0.99)),
        calls_to_see=math.ceil(float(calls_to_see(rate))),
    )
