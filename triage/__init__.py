"""Flaky-test triage for test suites that call LLMs."""
