"""One module per page: read its rows in a fixed number of queries, return what it shows."""
