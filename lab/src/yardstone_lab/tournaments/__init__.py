"""Studies of tie-breaks and pairing by simulated tournaments."""
