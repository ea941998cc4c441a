"""The two fits, `kmeans` and `mixture`, and how they reach their data."""
