"""Charts and diagrams: described once, laid out once, drawn on pages and in files.

`chart` describes what is drawn in values, `layout` turns it into shapes in pixels, and
`svg` and `files` draw the shapes. Each subject has a module that makes its charts.
"""
