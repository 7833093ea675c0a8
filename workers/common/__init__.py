"""What several pipelines share; it never imports one."""
