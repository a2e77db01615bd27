"""A network of our own: trained to choose what players of each rank choose, for offline use."""
