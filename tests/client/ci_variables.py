"""What CI systems tell a job on a pull request and on a push, in the variables that they set."""

from typing import Any

HEAD = "a" * 40
MERGE = "b" * 40
BASE = "c" * 40
REPO = "acme/support-bot"
PULL: dict[str, Any] = {
    "number": 42,
    "head": {"sha": HEAD, "repo": {"full_name": REPO}},
    "base": {"sha": BASE, "repo": {"full_name": REPO}},
}
GITHUB = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": REPO,
    "GITHUB_SHA": MERGE,
    "GITHUB_REF": "refs/pull/42/merge",
    "GITHUB_REF_NAME": "42/merge",
    "GITHUB_HEAD_REF": "fix-labels",
    "GITHUB_BASE_REF": "main",
    "GITHUB_RUN_ID": "9876543210",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_WORKFLOW": "CI",
    "GITHUB_JOB": "evals",
}
ON_A_PULL_REQUEST: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "GitLab CI": (
        {
            "GITLAB_CI": "true",
            "CI_PROJECT_PATH": "acme/ml/support-bot",
            "CI_COMMIT_SHA": MERGE,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix-labels",
            "CI_COMMIT_REF_NAME": "refs/merge-requests/7/merge",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
            "CI_PIPELINE_ID": "1001",
            "CI_JOB_ID": "2002",
            "CI_JOB_NAME": "evals 2/3",
            "CI_NODE_INDEX": "2",
            "CI_NODE_TOTAL": "3",
        },
        {
            "repo": "acme/ml/support-bot",
            "pr": "7",
            "base_sha": BASE,
            "run_id": "1001",
            "job": "evals 2/3",
            "part": "2/3",
        },
    ),
    "CircleCI": (
        {
            "CIRCLECI": "true",
            "CIRCLE_PROJECT_USERNAME": "acme",
            "CIRCLE_PROJECT_REPONAME": "support-bot",
            "CIRCLE_REPOSITORY_URL": "git@github.com:acme/support-bot.git",
            "CIRCLE_SHA1": HEAD,
            "CIRCLE_BRANCH": "fix-labels",
            "CIRCLE_PULL_REQUEST": "https://github.com/acme/support-bot/pull/42",
            "CIRCLE_WORKFLOW_ID": "5034460f-c7c4-4c43-9457-de07e2029e7b",
            "CIRCLE_BUILD_NUM": "77",
            "CIRCLE_JOB": "evals",
            "CIRCLE_NODE_INDEX": "0",
            "CIRCLE_NODE_TOTAL": "4",
        },
        {
            "run_id": "5034460f-c7c4-4c43-9457-de07e2029e7b",
            "job": "evals",
            "part": "1/4",
            "base_branch": "",
        },
    ),
    "Buildkite": (
        {
            "BUILDKITE": "true",
            "BUILDKITE_REPO": "git@github.com:acme/support-bot.git",
            "BUILDKITE_COMMIT": HEAD,
            "BUILDKITE_BRANCH": "fix-labels",
            "BUILDKITE_PULL_REQUEST": "42",
            "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
            "BUILDKITE_BUILD_ID": "018f-1",
            "BUILDKITE_RETRY_COUNT": "1",
            "BUILDKITE_LABEL": ":pytest: evals",
            "BUILDKITE_JOB_ID": "018f-2",
            "BUILDKITE_PARALLEL_JOB": "4",
            "BUILDKITE_PARALLEL_JOB_COUNT": "5",
        },
        {"run_id": "018f-1", "attempt": "2", "job": ":pytest: evals", "part": "5/5"},
    ),
    "Jenkins": (
        {
            "JENKINS_URL": "https://jenkins.example.com/",
            "GIT_URL": "https://github.com/acme/support-bot.git",
            "GIT_COMMIT": HEAD,
            "BRANCH_NAME": "PR-42",
            "CHANGE_BRANCH": "fix-labels",
            "CHANGE_ID": "42",
            "CHANGE_TARGET": "main",
            "BUILD_TAG": "jenkins-support-bot-PR-42-7",
            "BUILD_URL": "https://jenkins.example.com/job/support-bot/7/",
            "JOB_NAME": "support-bot/PR-42",
            "STAGE_NAME": "Evals",
        },
        {"run_id": "jenkins-support-bot-PR-42-7", "job": "Evals"},
    ),
    "Azure Pipelines": (
        {
            "TF_BUILD": "True",
            "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI": "https://dev.azure.com/acme/",
            "SYSTEM_TEAMPROJECT": "Support",
            "BUILD_REPOSITORY_NAME": REPO,
            "BUILD_REPOSITORY_URI": "https://github.com/acme/support-bot",
            "BUILD_SOURCEVERSION": MERGE,
            "BUILD_SOURCEBRANCH": "refs/pull/42/merge",
            "SYSTEM_PULLREQUEST_SOURCECOMMITID": HEAD,
            "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/fix-labels",
            "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER": "42",
            "SYSTEM_PULLREQUEST_PULLREQUESTID": "900001",
            "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
            "BUILD_BUILDID": "555",
            "SYSTEM_JOBATTEMPT": "1",
            "SYSTEM_JOBNAME": "evals",
            "SYSTEM_JOBPOSITIONINPHASE": "1",
            "SYSTEM_TOTALJOBSINPHASE": "1",
        },
        {"run_id": "555", "job": "evals"},
    ),
    "Bitbucket Pipelines": (
        {
            "BITBUCKET_BUILD_NUMBER": "12",
            "BITBUCKET_REPO_FULL_NAME": REPO,
            "BITBUCKET_COMMIT": HEAD,
            "BITBUCKET_BRANCH": "fix-labels",
            "BITBUCKET_PR_ID": "42",
            "BITBUCKET_PR_DESTINATION_BRANCH": "main",
            "BITBUCKET_PR_DESTINATION_COMMIT": BASE[:12],
            "BITBUCKET_PIPELINE_UUID": "{8a1f}",
            "BITBUCKET_STEP_RUN_NUMBER": "2",
            "BITBUCKET_STEP_UUID": "{77aa}",
            "BITBUCKET_PARALLEL_STEP": "0",
            "BITBUCKET_PARALLEL_STEP_COUNT": "2",
        },
        {"base_sha": BASE[:12], "run_id": "{8a1f}", "attempt": "2", "part": "1/2"},
    ),
    "Travis CI": (
        {
            "TRAVIS": "true",
            "TRAVIS_REPO_SLUG": REPO,
            "TRAVIS_COMMIT": MERGE,
            "TRAVIS_PULL_REQUEST_SHA": HEAD,
            "TRAVIS_PULL_REQUEST_BRANCH": "fix-labels",
            "TRAVIS_PULL_REQUEST": "42",
            "TRAVIS_BRANCH": "main",
            "TRAVIS_BUILD_ID": "333",
            "TRAVIS_JOB_ID": "334",
        },
        {"run_id": "333", "job": "334"},
    ),
    "Drone": (
        {
            "DRONE": "true",
            "DRONE_REPO": REPO,
            "DRONE_COMMIT_SHA": HEAD,
            "DRONE_SOURCE_BRANCH": "fix-labels",
            "DRONE_BRANCH": "main",
            "DRONE_PULL_REQUEST": "42",
            "DRONE_TARGET_BRANCH": "main",
            "DRONE_BUILD_NUMBER": "88",
            "DRONE_STAGE_NAME": "evals",
            "DRONE_STEP_NAME": "tiebreak",
        },
        {"run_id": "88", "job": "evals"},
    ),
    "Woodpecker": (
        {
            "CI": "woodpecker",
            "CI_REPO": REPO,
            "CI_COMMIT_SHA": HEAD,
            "CI_COMMIT_SOURCE_BRANCH": "fix-labels",
            "CI_COMMIT_BRANCH": "main",
            "CI_COMMIT_PULL_REQUEST": "42",
            "CI_COMMIT_TARGET_BRANCH": "main",
            "CI_PIPELINE_NUMBER": "99",
            "CI_PIPELINE_RERUNS": "1",
            "CI_WORKFLOW_NAME": "evals",
        },
        {"run_id": "99", "attempt": "2", "job": "evals"},
    ),
}
ON_A_PUSH: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "GitHub Actions": (
        GITHUB
        | {"GITHUB_SHA": HEAD, "GITHUB_REF": "refs/heads/main", "GITHUB_REF_NAME": "main"}
        | {"GITHUB_HEAD_REF": "", "GITHUB_BASE_REF": "", "GITHUB_RUN_ATTEMPT": "1"},
        {"branch": "main", "pr": ""},
    ),
    "GitLab CI": (
        {"GITLAB_CI": "true", "CI_COMMIT_SHA": HEAD, "CI_COMMIT_REF_NAME": "main"},
        {"branch": "main", "pr": ""},
    ),
    "CircleCI": (
        {"CIRCLECI": "true", "CIRCLE_SHA1": HEAD, "CIRCLE_BRANCH": "main"},
        {"branch": "main", "pr": ""},
    ),
    "Buildkite": (
        {"BUILDKITE": "true", "BUILDKITE_COMMIT": HEAD, "BUILDKITE_BRANCH": "main"}
        | {"BUILDKITE_PULL_REQUEST": "false", "BUILDKITE_RETRY_COUNT": "0"},
        {"branch": "main", "pr": "", "attempt": "1"},
    ),
    "Jenkins": (
        {"JENKINS_URL": "https://j/", "GIT_COMMIT": HEAD, "GIT_BRANCH": "origin/main"},
        {"branch": "main", "pr": ""},
    ),
    "Azure Pipelines": (
        {"TF_BUILD": "True", "BUILD_SOURCEVERSION": HEAD, "BUILD_SOURCEBRANCH": "refs/heads/main"}
        | {"BUILD_REPOSITORY_NAME": "support-bot", "SYSTEM_TEAMPROJECT": "Customer Care"},
        {"branch": "main", "pr": "", "repo": "Customer-Care/support-bot"},
    ),
    "Bitbucket Pipelines": (
        {"BITBUCKET_BUILD_NUMBER": "12", "BITBUCKET_COMMIT": HEAD, "BITBUCKET_BRANCH": "main"},
        {"branch": "main", "pr": ""},
    ),
    "Travis CI": (
        {"TRAVIS": "true", "TRAVIS_COMMIT": HEAD, "TRAVIS_BRANCH": "main"}
        | {"TRAVIS_PULL_REQUEST": "false", "TRAVIS_PULL_REQUEST_BRANCH": ""},
        {"branch": "main", "pr": "", "base_branch": ""},
    ),
    "Drone": (
        {"DRONE": "true", "DRONE_COMMIT_SHA": HEAD, "DRONE_BRANCH": "main"}
        | {"DRONE_TARGET_BRANCH": "main"},
        {"branch": "main", "pr": "", "base_branch": ""},
    ),
    "Woodpecker": (
        {"CI": "woodpecker", "CI_COMMIT_SHA": HEAD, "CI_COMMIT_BRANCH": "main"},
        {"branch": "main", "pr": "", "attempt": "1"},
    ),
}
