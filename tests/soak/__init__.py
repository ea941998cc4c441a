"""Random trials of the package and hard use of the process, for minutes or hours: see README.md beside this file."""
