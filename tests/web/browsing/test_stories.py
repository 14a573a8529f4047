"""Three people before the real server with a real worker, with script and without.

The author of a red pull request has ten seconds; the owner of a suite comes once a week; the
operator comes when something broke.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import User

from tests.flows.lost_uploads import lost_upload
from tests.flows.suites import REPO, report, sha, suite
from tests.servers import product
from tests.servers.receiver import receiving
from tests.web.browsing.house import BLOCKED_PR, FLIPPED, furnish, run_of
from tests.web.browsing.inspection import looking
from triage.models import Escalation, Membership, Repository
from triage.parse.archives import UploadedFile
from triage.record.storage import store_files
from triage.terms import EscalationState, Role

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.postgres]

PASSWORD = "correct horse battery"
HEIGHT = 700
THRESHOLD = """version: 1
labels:
  - match: "tests/evals/test_refunds.py::*"
    tie_break: {policy: second_pass, passes: 5, agree: 4}
"""
LOST = (UploadedFile("junit.xml", report(suite(3))),)


@dataclass(frozen=True)
class Screen:
    """How somebody looks at the pages."""

    width: int
    scheme: str
    has_script: bool

    def __str__(self) -> str:
        """Return a name for a test."""
        return f"{self.width}-{self.scheme}-{'script' if self.has_script else 'no script'}"


# Every width with every scheme, and either of them with script and without.
SCREENS = [
    Screen(375, "light", has_script=True),
    Screen(375, "dark", has_script=False),
    Screen(1440, "light", has_script=False),
    Screen(1440, "dark", has_script=True),
]


@pytest.fixture
def house(transactional_db: None, settings: Any) -> None:
    """Fill the database that the server reads."""
    settings.ALLOW_PRIVATE_WEBHOOKS = True
    with receiving() as receiver:
        furnish(receiver.url())


@pytest.fixture(params=SCREENS, ids=str)
def screen(request: pytest.FixtureRequest) -> Screen:
    """Return one screen after the other."""
    found: Screen = request.param
    return found


@pytest.fixture
def page(screen: Screen, house: None, browser: "Browser", server_url: str) -> Iterator["Page"]:
    """A tab on the real server, which asks nothing of others and complains of nothing."""
    size = {"width": screen.width, "height": HEIGHT}
    told = {"color_scheme": screen.scheme, "java_script_enabled": screen.has_script}
    asked = {"viewport": size} | told
    with looking(browser, server_url, None, **asked) as look:
        yield look.page
        assert look.wrong == []


def sign_in(page: "Page", role: Role | None, target: str = "/") -> None:
    """Come in by the form as somebody with a role here, or as who runs the installation."""
    user = User.objects.create_user("ada", password=PASSWORD, is_superuser=role is None)
    if role:
        Membership.objects.create(repository=repository(), user=user, role=role)
    page.goto(target)
    if "/sign-in/" not in page.url:
        page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def repository() -> Repository:
    """Return the repository that the house is about."""
    return Repository.objects.get(full_name=REPO)


def is_seen_at_once(page: "Page", words: str) -> bool:
    """Tell whether words stand where nobody has to scroll."""
    box = page.get_by_text(words).first.bounding_box()
    return box is not None and box["y"] + box["height"] <= HEIGHT


def fits(page: "Page") -> bool:
    """Tell whether nothing is cut off at the side."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_the_author_of_a_red_pull_request_sees_whose_it_is(page: "Page", screen: Screen) -> None:
    path = f"/runs/{run_of(BLOCKED_PR).pk}/"
    sign_in(page, Role.VIEWER, path)

    assert page.url.endswith(path)
    assert is_seen_at_once(page, "Do not merge: 1 label regression (fraud → billing)")
    assert fits(page)
    page.locator("summary", has_text="Evidence").click()
    assert page.get_by_text("AssertionError: assert 'billing' == 'fraud'").first.is_visible()
    if screen.has_script:
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    else:
        page.get_by_role("link", name=FLIPPED).first.click()
    page.wait_for_url("**/cases/*/")
    assert page.locator("h1").inner_text().endswith(FLIPPED)
    assert page.get_by_text("Labels: expected × observed").is_visible()
    assert fits(page)


def test_the_owner_of_a_suite_finds_what_needs_a_person(page: "Page") -> None:
    sign_in(page, Role.ADMIN)
    page.get_by_role("link", name=REPO).first.click()
    page.get_by_role("link", name="Cases", exact=True).click()
    page.locator("[name=q]").fill("ticket[7]")
    page.locator("[name=q]").press("Enter")
    assert "q=ticket" in page.url
    page.get_by_role("link", name=FLIPPED).click()
    page.get_by_role("link", name="Open question").click()
    page.check("[value=accept_label]")
    page.select_option("[name=label]", "fraud")
    page.fill("[name=why]", "A double charge is fraud until the desk says otherwise.")
    page.locator("form.sheet button").click()
    page.get_by_text("(in effect)").wait_for()
    assert not Escalation.objects.filter(case__name=FLIPPED, state=EscalationState.OPEN).exists()

    page.goto(f"/repositories/{REPO}/budgets/")
    page.fill("[name=cases]", "400")
    page.get_by_role("button", name="Calculate").click()
    assert page.get_by_text("A run of the suite has a red case").is_visible()
    assert page.url.endswith("#what-if")
    page.goto(f"/repositories/{REPO}/policy/preview/")
    page.get_by_label("The changed .tiebreak.yml").fill(THRESHOLD)
    page.get_by_role("button", name="Preview").click()
    assert page.get_by_text("Nothing was changed, and nobody was told.").is_visible()
    assert fits(page)


def test_the_operator_sees_what_broke_and_begins_again(
    page: "Page", product_env: dict[str, str]
) -> None:
    lost = lost_upload(sha(300), LOST)
    sign_in(page, None)
    page.get_by_role("link", name=REPO).first.click()
    page.get_by_role("link", name="Uploads").click()
    page.get_by_label("State").select_option("dead")
    page.get_by_role("button", name="Filter").click()
    assert page.get_by_text("FileNotFoundError").first.is_visible()
    assert fits(page)
    page.locator("tbody a").first.click()
    assert page.url.endswith(f"/uploads/{lost.pk}/")

    store_files(REPO, LOST)
    with product.worker(product_env) as worker:
        page.get_by_role("button", name="Try again").click()
        worker.wait_for("succeeded")
    page.reload()
    assert page.get_by_text("Recorded and judged").is_visible()
    page.goto(f"/repositories/{REPO}/settings/changes/")
    assert page.get_by_text(str(lost.pk)).first.is_visible()
