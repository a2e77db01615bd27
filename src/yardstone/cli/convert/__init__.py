"""The commands `yardstone convert`: games to other formats, ratings to other scales."""
