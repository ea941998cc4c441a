"""The two fits, `kmeans` and `mixture`, and the loading of their data."""
