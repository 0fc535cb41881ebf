"""The figures of README and docs: measured by commands of treevote, stored as data, and written into the pages.

Not a part of the package. ``python -m benchmarks --help``.
"""
