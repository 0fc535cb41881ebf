"""The jobs of the commands as plain functions with a value; `treevote.cli` calls them, `treevote.report` renders."""
