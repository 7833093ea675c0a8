"""The command line. A module of commands has `app = new_app()` (apps.py) and registers them as on any typer app."""
