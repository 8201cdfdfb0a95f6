"""Recall: the best answers to a question, each with its reasons, from what the asker may see alone."""
