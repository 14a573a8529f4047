"""Leaves out what is read in an environment of its own: the search for doctests imports it."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("litellm") else ["litellm_answers.py"]
