"""Models over HTTP: the protocols of tools that exist, and a page that shows the vote."""
