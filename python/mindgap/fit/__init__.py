"""The two fits, `kmeans` and `mixture`, and how they load their data."""
