"""From results and facts to pages: macros, tables, charts, the build of both languages, the live server."""
