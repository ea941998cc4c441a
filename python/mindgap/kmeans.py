"""K-means in one dimension, exact, with or without a constraint on the gaps between centres."""
