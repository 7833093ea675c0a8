"""The command line. A module of commands has `app = new_app()` (from apps.py) and registers them as with any typer app."""
