"""Learners that map rows of features to classes: scikit-learn estimators."""
