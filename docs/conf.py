# SPDX-License-Identifier: MIT
# The documentation site: Sphinx reads the Markdown files of this folder (MyST) and what Doxygen has
# of the public headers (Breathe). scripts/docs/build.sh builds it; every warning is an error there.
import re
import sys
from pathlib import Path

here = Path(__file__).parent
root = here.parent
sys.path.insert(0, str(here / "_ext"))

project = "Dwell"
author = "The Dwell authors"
copyright = "The Dwell authors"
release = re.search(r'DWELL_VERSION_STRING "([^"]+)"', (root / "include/dwell/version.hpp").read_text()).group(1)
version = release

extensions = ["myst_parser", "breathe", "sphinx_copybutton", "outside_links"]
root_doc = "index"
exclude_patterns = ["_ext", "pictures", "requirements.txt"]

# Headings are link targets as on a forge (#what-you-can-rely-on).
myst_heading_anchors = 4
myst_enable_extensions = ["deflist", "colon_fence"]

breathe_projects = {"dwell": str(root / "build/docs/doxygen/xml")}
breathe_default_project = "dwell"
breathe_default_members = ("members",)
primary_domain = "cpp"
highlight_language = "text"
# What the C++ domain would otherwise take for part of a name.
cpp_id_attributes = ["DWELL_API"]

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"Dwell {release}"
html_static_path = ["_static"]
html_css_files = ["dwell.css"]
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}
html_copy_source = False
html_show_sourcelink = False

# Files outside docs/ that are pages of the site.
outside_pages = {
    "README.md": "index",
    "CONTRIBUTING.md": "project/contributing",
    "CHANGELOG.md": "project/changelog",
    "SECURITY.md": "project/security",
    "datasets/README.md": "project/datasets",
    "packaging/README.md": "project/packaging",
}
