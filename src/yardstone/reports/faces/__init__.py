"""The faces of a document: terminal, text, CSV, Parquet, JSON, page and part of a page."""
