"""The page that answers "how strong am I?", and its interface for programs."""
