"""The rank of a player of Go from the moves of a few games, by a model without torch."""
