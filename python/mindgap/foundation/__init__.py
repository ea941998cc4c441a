"""What every layer uses: messages, files, progress, random numbers, optional dependencies."""
