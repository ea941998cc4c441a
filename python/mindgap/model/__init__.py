"""What fits and plugins exchange: data, bounds and rows, parameters, moments, and the base classes of plugins."""
