"""The store: every record of a log or of a live run as one row of numpy columns."""
