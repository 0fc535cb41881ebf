"""Every result of a command for a person or a program: text, JSON, CSV, Markdown, SVG, and pages of HTML."""
