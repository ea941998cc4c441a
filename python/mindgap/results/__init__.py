"""What fits return: the results, their tables and frames, and their stored form."""
