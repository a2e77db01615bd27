"""The switches of Ordo and Ordoprep."""
