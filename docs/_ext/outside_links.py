# SPDX-License-Identifier: MIT
# Links of the Markdown files that are right on a forge and not on the site, to files and folders of
# the repository: rewritten as the source is read. A file that is a page of the site (conf.py:
# outside_pages; its text becomes the text of that page) becomes a link to it, a folder with an
# index.md a link to that, another folder, a Markdown file without a page and a page of the forge plain
# text, another file a download. A link to nothing stays as it is, and Sphinx warns of it.
import os
import re
from pathlib import Path

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
DEFINITION = re.compile(r"^\[[^\]]+\]: (\S+)\n", re.MULTILINE)  # a link that is used elsewhere by its name
LINK_OR_CODE = re.compile(r"`[^`]+`|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def rewritten(text, source, docname, app):
    """The text of Markdown file `source`, with links for page `docname`."""
    docs = Path(app.srcdir).resolve()
    root = docs.parent
    page_folder = (docs / docname).parent

    def link(match):
        image, words, target = match.groups()
        path_text, _, fragment = target.partition("#")
        if not path_text or "://" in target or path_text.startswith("mailto:"):
            return match.group(0)
        path = Path(os.path.normpath(source.parent / path_text))
        if not path.is_relative_to(root):  # a forge's own page
            return words
        if not path.exists():
            return match.group(0)
        page = app.config.outside_pages.get(path.relative_to(root).as_posix())
        if path.is_dir():
            if not (path / "index.md").exists() or not path.is_relative_to(docs):
                return words
            path /= "index.md"
        elif page:
            path = docs / f"{page}.md"
        elif path.suffix == ".md" and not path.is_relative_to(docs):
            return words
        new = Path(os.path.relpath(path, page_folder)).as_posix()
        return f"{image}[{words}]({new}{'#' + fragment if fragment else ''})"

    def definition(match):
        target = match.group(1)
        outside = "://" not in target and not Path(os.path.normpath(source.parent / target)).is_relative_to(root)
        return "" if outside else match.group(0)

    def mended(prose):
        prose = DEFINITION.sub(definition, prose)
        # What stands in backquotes is code; a link's words may have code in them.
        return LINK_OR_CODE.sub(lambda match: match.group(0) if match.group(0)[0] == "`" else link(match), prose)

    out, prose, fence = [], "", None
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if mark and (fence is None or line.strip() == fence):
            fence = mark.group(1) if fence is None else None
            out.append(mended(prose) + line)
            prose = ""
        elif fence is None:
            prose += line
        else:
            out.append(line)
    return "".join(out) + mended(prose)


def read(app, docname, source):
    root = Path(app.srcdir).resolve().parent
    file = Path(app.env.doc2path(docname))
    outside = {page: name for name, page in app.config.outside_pages.items() if page != app.config.root_doc}
    if docname in outside:
        file = root / outside[docname]
        source[0] = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        source[0] = rewritten(source[0], file, docname, app)


def setup(app):
    app.add_config_value("outside_pages", {}, "env")
    app.connect("source-read", read)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
