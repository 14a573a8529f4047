"""The uploaders that teams have, run for real against a server in a process of its own."""
