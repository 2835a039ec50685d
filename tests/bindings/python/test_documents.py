# SPDX-License-Identifier: MIT
"""The code of the documents and of the docstrings runs."""
import ast
import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import re

import pytest
from conftest import ROOT

import dwell

MODULES = [m.name for m in pkgutil.iter_modules(dwell.__path__) if m.name not in ("plot", "_core")]
MODULES += [f"stencils.{name}" for name in dwell.stencils.names()]


@pytest.mark.parametrize("document", ["docs/reference/python.md", "README.md"])
def test_code_blocks_run(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)
    assert blocks
    exec(compile("\n".join(blocks), document, "exec"), {})


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    library = {"jax": "jax", "torch": "torch"}.get(name)
    if library:
        pytest.importorskip(library, reason=f"no {library}")
    assert doctest.testmod(importlib.import_module(f"dwell.{name}")).failed == 0


def test_the_reference_has_every_name_and_option():
    text = (ROOT / "docs/reference/python.md").read_text()
    for name in dwell.__all__:
        if name not in ("__version__", "Moment", "Shape", "StencilSetup", "Comparison", "DeviceInfo"):
            assert name in text, name
    for function in (dwell.cg, dwell.stencil, dwell.Solver, dwell.Solver.solve, dwell.define, dwell.run):
        signature = re.search(re.escape(function.__name__) + r"\(([^`]*)\)`", text)
        assert signature, function
        written = [word.strip().lstrip("*").split("=") for word in signature[1].split(",") if word.strip() != "*"]
        parameters = {n: p.default for n, p in inspect.signature(function).parameters.items() if n != "self"}
        assert [word[0] for word in written] == list(parameters)
        for name, *default in written:
            assert [ast.literal_eval(d) for d in default] == [parameters[name]] * len(default), name


def test_defaults_in_the_reference_of_the_library_are_its_own():
    native = dwell._core.CgOptions()
    written = re.findall(r"`(?:options\.)?(\w+)` \((\d+)\)", (ROOT / "docs/reference/library.md").read_text())
    found = [(name, int(value)) for name, value in written if hasattr(native, name)]
    assert len(found) >= 4 and found == [(name, getattr(native, name)) for name, _ in found]


def test_public_docstrings_say_what_is_returned_and_raised():
    for name in ("cg", "compare", "define", "generate", "read_matrix", "run", "stencil"):
        assert "Returns\n" in getattr(dwell, name).__doc__ and "Raises\n" in getattr(dwell, name).__doc__
    assert importlib.metadata.version("dwell-solvers") == dwell.__version__
