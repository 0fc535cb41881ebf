"""Evaluation of systems: `treevote.evaluation.evaluation.evaluate_systems`, with `treevote.evaluation.results`."""
