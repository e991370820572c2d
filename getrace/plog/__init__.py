"""The plog codec: the only place where events are text."""
