"""Raw text to sentences, tokens and words: the tokenizer of UDPipe 1, trained on the same treebank as the parsers."""
