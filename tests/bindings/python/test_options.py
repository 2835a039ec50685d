# SPDX-License-Identifier: MIT
"""The keywords of the options of linear solves and stencils are those of the library's table, and arrive with their values."""
import inspect

import numpy as np
import pytest
import scipy.sparse

import dwell
from dwell import _core
from dwell._options import OPTIONS, SCIPY, Options
from dwell._stencil_options import STENCIL_OPTIONS, StencilOptions, native_stencil_options

A = dwell.generate("poisson2d:6x5")
SINGULAR = A - scipy.sparse.diags_array(A.sum(axis=1))
B = np.ones(30)
FUNCTIONS = {"cg": dwell.cg, "minres": dwell.minres, "bicgstab": dwell.bicgstab, "gmres": dwell.gmres}
# Other values than the defaults, which a solve may have.
VALUES = {"null_space": "none", "null_vectors": np.ones(30), "method": "gmres", "executor": "persistent", "policy": "none",
          "variant": "textbook", "precision": "mixed", "preconditioner": "jacobi", "smoother": "jacobi", "coarsening": "classical",
          "near_null": np.ones((30, 1)), "maxiter": 17}


def another_value(option):
    if option.keyword in VALUES:
        return VALUES[option.keyword]
    return not option.default if isinstance(option.default, bool) else option.default + 1


def read_back(options):
    return {o.member: getattr(options, o.member) for o in OPTIONS}


def test_type_checkers_know_the_table():
    assert list(Options.__annotations__) == [o.keyword for o in OPTIONS]
    assert [o.member for o in OPTIONS] == [row["name"] for row in _core.solve_option_table()]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: o.keyword)
def test_a_keyword_sets_its_member_and_no_other(option):
    value = another_value(option)
    plain = read_back(dwell.Solver(SINGULAR, device="cpu")._options)
    found = read_back(dwell.Solver(SINGULAR, device="cpu", **{option.keyword: value})._options)
    expected = np.ravel(value).tolist() if option.kind.startswith("array") else True if value == "mixed" else value
    assert found.pop(option.member) == expected != plain.pop(option.member)
    assert found == plain


def test_defaults_are_those_of_the_library_but_where_scipy_has_its_own():
    native, plain = _core.CgOptions(), dwell.Solver(A, device="cpu")._options
    assert {n for n, v in read_back(plain).items() if v != getattr(native, n)} == {"rtol", "max_iterations"}
    assert plain.rtol == SCIPY["rtol"] and plain.max_iterations == 300
    for o in OPTIONS:
        assert inspect.signature(dwell.Solver).parameters[o.keyword].default == o.default


def test_every_option_is_documented():
    for o in OPTIONS:
        assert f"    {o.keyword} : {o.kind}\n" in dwell.Solver.__doc__ and o.help.split()[0] in dwell.Solver.__doc__
        assert o.keyword in dwell.cg.__doc__ or o.methods or o.keyword in ("method", "preconditioner", "history",
                                                                          "fixed_iterations")
    assert all("{options}" not in f.__doc__ for f in [dwell.Solver, *FUNCTIONS.values()])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_the_options_that_their_method_heeds(name):
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    for o in OPTIONS:
        there = o.keyword not in ("method", "preconditioner", "history", "fixed_iterations") and (
            not o.methods or name in o.methods)
        assert (o.keyword in parameters) == there, o.keyword
        if not there:
            with pytest.raises(TypeError, match=f"{name}.. got an unexpected keyword argument '{o.keyword}'"):
                FUNCTIONS[name](A, B, **{o.keyword: another_value(o)})
    with pytest.raises(TypeError, match="unexpected keyword argument 'rtoll'"):
        dwell.Solver(A, rtoll=1e-3)


STENCIL_VALUES = {"executor": "persistent", "policy": "none", "boundary": "reflect", "weights": [1.0, 0, 0, 0, 0],
                  "traversal": "ring", "blocking": "temporal", "order": "zigzag:3", "engine": "step"}


def test_type_checkers_know_the_table_of_stencils():
    assert sorted(StencilOptions.__annotations__) == sorted(o.keyword for o in STENCIL_OPTIONS)


@pytest.mark.parametrize("option", STENCIL_OPTIONS, ids=lambda o: o.keyword)
def test_a_keyword_of_a_stencil_sets_its_member_and_no_other(option):
    def read(options):
        return {o.keyword: getattr(options, o.keyword) for o in STENCIL_OPTIONS}
    value = STENCIL_VALUES.get(option.keyword, 3)
    plain = read(native_stencil_options("2d5pt", {}, []))
    weights = value if option.keyword == "weights" else []
    found = read(native_stencil_options("2d5pt", {option.keyword: value}, weights))
    assert found.pop(option.keyword) == value != plain.pop(option.keyword)
    assert found == plain


@pytest.mark.parametrize("subject", [dwell.Runner, dwell.stencil])
def test_stencils_have_the_keywords_of_the_table(subject):
    parameters = inspect.signature(subject).parameters
    for o in STENCIL_OPTIONS:
        assert parameters[o.keyword].default == o.default and o.keyword in subject.__doc__
    assert "{options}" not in subject.__doc__
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'depht'"):
        subject(np.zeros((9, 9)), "2d5pt", *([3] if subject is dwell.stencil else []), depht=2)
    u = np.random.default_rng(2).random((12, 14))
    extra = [3] if subject is dwell.stencil else []
    made = subject(u, "2d5pt", *extra, boundary="periodic", weights=[0.2] * 5, order="rows", executor="persistent",
                   progress_interval=0.0, device="cpu")
    assert made is not None
