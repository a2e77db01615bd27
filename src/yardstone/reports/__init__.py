"""Every way to show a result; no computation."""
