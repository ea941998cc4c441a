"""What fits and plugins speak in: data, bounds and rows, parameters, moments, and the base classes of plugins."""
