"""MixL2: operators for two kinds of cores that share the L2 cache, launched as one FFTS+ task."""
