"""Decision lists: rules that a person can read, learnt by Greedy Prepend, and the parser that applies them."""
