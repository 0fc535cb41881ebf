"""The report of an evaluation: one page that needs nothing but itself, for the screen, the telephone and print."""
