"""Policy as code: what a team may set, and which of its rules holds for a case.

No key of it turns a label flip into an expected flake; there is none to forbid.
"""
