"""Custom operators: a user's own code, which allocates its outputs itself."""
