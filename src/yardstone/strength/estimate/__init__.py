"""How strong a player is, with an interval that holds, on the scale asked for."""
