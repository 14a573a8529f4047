"""The version that runs: the newest one of CHANGELOG.md, to which tests hold the client's."""

from triage import client

VERSION = client.__version__
