"""Rating lists as Ordo prints them."""
