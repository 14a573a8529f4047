"""Tell a repository's channels what happened; ``outbox.emit`` is the way in.

What is emitted is a row in the caller's transaction. It is sent after the commit, and swept up
later should that fail, so that nothing emitted is lost. A message may arrive twice, with one id.
"""
