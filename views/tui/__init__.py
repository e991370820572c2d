"""The terminal screens. The only room that knows textual and rich."""
