"""The commands as plain functions: what `treevote.cli` calls once it has read the arguments."""
