"""Badges for a README: what the gate says of the default branch, and where the budget stands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import condition, require_safe

from triage.models import Repository, Run
from triage.verdict.standings import repository_standing
from triage.web.guarding import guarded
from triage.web.presenters.badges import NOT_JUDGED, Badge, Tone
from triage.web.presenters.gauges import gauge
from triage.web.presenters.run_rows import run_rows

# A badge is an image of another page, out of reach of our colours and fonts: white text on these
# holds 4.5 to 1, and a character of its font takes about so many pixels.
COLOURS = {
    Tone.BAD: "#b3261e",
    Tone.WARNING: "#7a4a00",
    Tone.GOOD: "#1a6b3c",
    Tone.NEUTRAL: "#44506a",
    Tone.QUIET: "#57606a",
}
CHARACTER_WIDTH = 6.6
PADDING = 12
# Forges keep a copy of the image for as long as it says.
MAX_AGE_S = 300


@dataclass(frozen=True, slots=True)
class ReadmeBadge:
    """A label and what it says, with the widths of both halves in pixels."""

    label: str
    says: str
    colour: str

    @property
    def label_width(self) -> int:
        """The width of the left half."""
        return _width(self.label)

    @property
    def says_width(self) -> int:
        """The width of the right half."""
        return _width(self.says)

    @property
    def width(self) -> int:
        """The whole width."""
        return self.label_width + self.says_width

    @property
    def text_starts(self) -> tuple[float, float]:
        """Where the middles of both texts are."""
        return self.label_width / 2, self.label_width + self.says_width / 2


def gate_badge(repository: Repository) -> ReadmeBadge:
    """Return the conclusion of the default branch's newest run."""
    runs = Run.objects.filter(repository=repository, is_reference=True).order_by("-at", "-pk")
    rows = run_rows(list(runs[:1]))
    said: Badge = rows[0].badge if rows else NOT_JUDGED
    return ReadmeBadge("LLM gate", said.word, COLOURS[said.tone])


def budget_badge(repository: Repository) -> ReadmeBadge:
    """Return where the budget of the whole repository stands."""
    shown = gauge(repository_standing(repository.pk, timezone.now()).as_json())
    says = f"{shown.spent} of {shown.limit} used"
    return ReadmeBadge("flake budget", says, COLOURS[shown.badge.tone])


BADGES: Mapping[str, Callable[[Repository], ReadmeBadge]] = {
    "gate": gate_badge,
    "budget": budget_badge,
}


def _etag(request: HttpRequest, badge: ReadmeBadge) -> str:
    return f'"{badge.says}-{badge.colour}"'


@require_safe
@guarded(Repository)
def badge(request: HttpRequest, repository: Repository, name: str) -> HttpResponse:
    """Return a badge as an image, which is good for five minutes.

    A forge asks for it without an account: in a README it shows for a public repository only.
    """
    if name not in BADGES:
        raise Http404(f"There is no badge “{name}”. There are {', '.join(BADGES)}.")
    response = _image(request, BADGES[name](repository))
    reach = "public" if repository.is_public else "private"
    response["Cache-Control"] = f"{reach}, max-age={MAX_AGE_S}"
    return response


@condition(etag_func=_etag)
def _image(request: HttpRequest, badge: ReadmeBadge) -> HttpResponse:
    return render(request, "web/readme_badge.svg", {"badge": badge}, "image/svg+xml")


def _width(text: str) -> int:
    return round(len(text) * CHARACTER_WIDTH) + PADDING
