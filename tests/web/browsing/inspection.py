"""What a browser finds on a page: accessibility, width, shifts, weight, other hosts, complaints."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from axe_playwright_python.sync_playwright import Axe

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SERIOUS = frozenset({"serious", "critical"})
# Without pictures; in bytes that the browser has to read.
WEIGHT_LIMIT = 150_000
# Adds up how far things moved on the page while it was loading.
WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) window.shifted += each.value;
}).observe({type: "layout-shift", buffered: true});
"""
MEASURE = """() => {
  const loaded = [...performance.getEntriesByType("navigation"),
                  ...performance.getEntriesByType("resource")];
  return {
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    shifted: window.shifted,
    weight: loaded.filter((each) => each.initiatorType !== "img")
                  .reduce((sum, each) => sum + each.decodedBodySize, 0),
  };
}"""


@dataclass
class Look:
    """A tab that notes down whatever the browser complains of and whoever else the page asks."""

    page: "Page"
    address: str
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin to listen."""
        self.page.on("console", lambda message: self.wrong.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        self.page.on("request", self._note)
        self.page.add_init_script(WATCH_SHIFTS)
        # A page weighs what somebody waits for who was never there.
        self.page.context.new_cdp_session(self.page).send(
            "Network.setCacheDisabled", {"cacheDisabled": True}
        )

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.wrong.append(f"asks another host: {request.url}")


@contextmanager
def looking(
    browser: "Browser", address: str, session: tuple[str, str] | None, **options: Any
) -> Iterator[Look]:
    """Open a tab of somebody with this session, with the options of a browser's context."""
    with browser.new_context(base_url=address, **options) as context:
        context.set_default_timeout(60_000)
        if session:
            name, value = session
            context.add_cookies([{"name": name, "value": value, "url": address}])
        yield Look(context.new_page(), address)


def inspect(look: Look, path: str, status: int = 200) -> list[str]:
    """Open a page and return what is wrong with it, in words."""
    look.wrong.clear()
    answer = look.page.goto(path)
    assert answer is not None
    told = look.page.evaluate(MEASURE)
    faults = list(look.wrong)
    faults += [f"status {answer.status}"] if answer.status != status else []
    faults += [f"{told['overflow']} px too wide"] if told["overflow"] > 0 else []
    faults += [f"weighs {told['weight']} bytes"] if told["weight"] > WEIGHT_LIMIT else []
    faults += [f"shifts by {told['shifted']}"] if told["shifted"] > 0 else []
    return faults + violations(look.page)


def violations(page: "Page") -> list[str]:
    """Return the serious and the critical violations that axe-core finds on a page."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"][:3]
    ]
