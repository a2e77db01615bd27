"""The laboratory: what replicates the papers and trains models; measuring needs none of it."""
