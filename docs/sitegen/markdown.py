"""Small pieces of Markdown."""


def table(header, rows):
    """Return a table from a list of headings and a list of lists of text."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def page(title, *parts):
    """Return a page with a title."""
    return "\n\n".join([f"# {title}", *parts]) + "\n"
