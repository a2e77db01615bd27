"""The laboratory of Yardstone: what replicates the papers, trains models and searches."""
