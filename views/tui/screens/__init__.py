"""Screens arrange widgets and route what they say."""
