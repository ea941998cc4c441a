"""Random trials of the package and stress tests of the process, for minutes or hours: see README.md here."""
