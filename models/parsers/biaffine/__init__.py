"""The neural parser: bidirectional LSTMs read a sentence, biaffine forms score its arcs and labels."""
