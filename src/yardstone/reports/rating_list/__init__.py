"""Rating lists: the plain value that JSON has, and the document made of it."""
