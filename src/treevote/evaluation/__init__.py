"""Evaluation: scores of systems, breakdowns, differences and their significance, and the sentences behind them.

The entry is `treevote.evaluation.evaluation.evaluate_systems`; its results are in `treevote.evaluation.results`.
"""
