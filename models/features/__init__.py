"""What all models over features share: words as numbers, features as rows, linear weights packed for parsing."""
