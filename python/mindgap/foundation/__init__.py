"""Used by every layer: errors, messages, files, progress, stored documents, optional dependencies."""
