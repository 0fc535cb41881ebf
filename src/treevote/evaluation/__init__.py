"""Evaluation: what systems get right, where they differ, whether that is chance, and the sentences behind it.

`treevote.evaluation.evaluation.evaluate_systems` does it all; what it returns is in `treevote.evaluation.results`.
"""
