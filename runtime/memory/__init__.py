"""Memory: scalable allocators in three levels, and who owns the bytes of a tensor."""
