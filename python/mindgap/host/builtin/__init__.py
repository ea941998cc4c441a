"""The built-in constraints, initializers and engines, registered as any plugin's are."""
