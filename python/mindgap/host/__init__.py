"""The plugin host: finds plugins, keeps their names, builds them from specs, and guards every call to them."""
