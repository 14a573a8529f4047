"""Markdown as a page."""

from triage.web.presenters.markdown import Heading, render_markdown


def body(text: str) -> str:
    """Return the HTML of a document whose links stay as they are."""
    return str(render_markdown(text, str).body)


def test_the_first_heading_is_the_title_and_not_in_the_body() -> None:
    page = render_markdown("# The API\n\nWords.\n\n# Another\n", str)

    assert page.title == "The API"
    assert page.body == '<p>Words.</p>\n<h1 id="another">Another</h1>\n'


def test_headings_have_the_addresses_that_a_forge_gives_them() -> None:
    page = render_markdown("# A\n\n## `critical`: always blocks!\n\n### Not listed\n", str)

    assert page.contents == [Heading("critical-always-blocks", "critical: always blocks!")]
    assert '<h3 id="not-listed">' in page.body


def test_raw_html_is_left_out() -> None:
    page = body("<!-- matrix -->\n<script>alert(1)</script>\n\na <b onclick='x'>b</b>\n")

    assert page == "<p>a b</p>\n"


def test_code_is_escaped_and_reached_by_keys() -> None:
    assert body('```yaml\na: "<b>"\n```\n') == (
        '<pre tabindex="0"><code>a: &quot;&lt;b&gt;&quot;\n</code></pre>\n'
    )
    assert 'tabindex="0"' in body("    indented\n")


def test_a_table_stands_in_a_frame_that_scrolls() -> None:
    page = body("| a |\n| --- |\n| b |\n")

    assert page.startswith('<div class="table-frame" tabindex="0"><table')
    assert page.endswith("</table></div>\n")


def test_links_and_pictures_are_resolved() -> None:
    page = render_markdown("[a](b.md#c) ![d](e.png)\n", lambda link: f"/docs/{link}")

    assert '<a href="/docs/b.md#c">a</a>' in page.body
    assert '<img src="/docs/e.png" alt="d" />' in page.body


def test_a_link_that_runs_something_is_no_link() -> None:
    assert "<a" not in body("[a](javascript:alert(1))\n")


def test_an_empty_document_is_an_empty_page() -> None:
    page = render_markdown("", str)

    assert (page.title, page.body, page.contents) == ("", "", [])
