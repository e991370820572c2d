"""From what the user names to sources of bytes: folders, archives, pipes, rotated and growing files, the cache."""
