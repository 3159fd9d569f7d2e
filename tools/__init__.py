"""What turns snippets, measurements and facts into the guide: `python -m tools --help`."""
