"""Decision lists, and the Greedy Prepend Algorithm that learns them."""
