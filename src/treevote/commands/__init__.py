"""The commands as plain functions; `treevote.cli` reads the arguments and calls them."""
