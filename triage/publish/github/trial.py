"""Publish a neutral check run, to show that the way to GitHub is open."""

from dataclasses import dataclass

from github import Github

from triage.publish.github.failures import translated

NAME = "Tiebreak set-up"
TITLE = "Tiebreak can publish here"
SUMMARY = "Somebody asked for this check on the set-up page. It judges nothing and blocks nothing."


@dataclass(frozen=True, slots=True)
class Trial:
    """The check run as GitHub shows it afterwards."""

    branch: str
    sha: str
    conclusion: str
    html_url: str


def send_trial_check(client: Github, full_name: str, key: str) -> Trial:
    """Publish a neutral check on the default branch's head and read it back from GitHub."""
    with translated():
        repository = client.get_repo(full_name)
        branch = repository.get_branch(repository.default_branch)
        made = repository.create_check_run(
            name=NAME,
            head_sha=branch.commit.sha,
            external_id=key,
            status="completed",
            conclusion="neutral",
            output={"title": TITLE, "summary": SUMMARY},
        )
        shown = repository.get_check_run(made.id)
        return Trial(branch.name, branch.commit.sha, shown.conclusion, shown.html_url)
