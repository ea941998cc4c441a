"""The results of fits, their tables and frames, and their stored form."""
