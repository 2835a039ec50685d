# SPDX-License-Identifier: MIT
"""Near-null vectors of multigrid: rigid-body modes, and what a Solver makes of them."""
import warnings

import numpy as np
import pytest

import dwell

FLAT, SOLID = "elasticity2d:40x30", "elasticity3d:8x7x9"


@pytest.mark.cpu_caching
@pytest.mark.parametrize(("kind", "rows", "modes"), [(FLAT, 2, 3), (SOLID, 3, 6)])
def test_modes_strain_nothing_and_make_iterations_few(kind, rows, modes):
    a, at = dwell.generate(kind), dwell.generated_coordinates(kind)
    assert at.shape == (a.shape[0] // rows, rows)
    b = dwell.rigid_body_modes(at)
    assert b.shape == (a.shape[0], modes) and b.flags.f_contiguous
    inner = np.repeat(at[:, 0] > 1.5, rows)
    assert np.abs((a @ b)[inner]).max() < 1e-12
    with_modes = dwell.Solver(a, preconditioner="amg", near_null=b, block_size=rows, rtol=1e-8, device="cpu", threads=2)
    without = dwell.Solver(a, preconditioner="amg", rtol=1e-8, device="cpu", threads=2)
    f = np.sin(1 + np.arange(a.shape[0]))
    x = with_modes.solve(f)
    without.solve(f)
    assert with_modes.report.stopped == "converged"
    assert np.linalg.norm(a @ x - f) <= 1e-7 * np.linalg.norm(f)
    assert with_modes.report.iterations < without.report.iterations
    assert f"{rows} rows a node, {modes} vectors" in with_modes.explain()


def test_any_layout_and_dtype_of_vectors():
    a, b = dwell.generate(FLAT), dwell.rigid_body_modes(dwell.generated_coordinates(FLAT))
    f = np.ones(a.shape[0])
    answers = [dwell.Solver(a, preconditioner="amg", near_null=v, block_size=2, device="cpu", threads=1).solve(f)
               for v in (b, np.ascontiguousarray(b), b.astype(np.float32).astype(np.float64))]
    assert np.array_equal(answers[0], answers[1])
    one = dwell.Solver(a, preconditioner="amg", near_null=np.ones(a.shape[0]), device="cpu", threads=1)
    one.solve(f)
    assert one.report.stopped == "converged"


def test_vectors_that_do_not_fit_have_a_warning():
    a, at = dwell.generate(FLAT), dwell.generated_coordinates(FLAT)
    f = np.ones(a.shape[0])
    solver = dwell.Solver(a, preconditioner="amg", near_null=dwell.rigid_body_modes(np.random.default_rng(4).permutation(at)),
                          block_size=2, device="cpu", maxiter=5000)
    with pytest.warns(dwell.SolveWarning, match="near-null vectors do not fit the matrix: of number 3") as heard:
        solver.solve(np.stack([f, 2 * f], axis=1))
    assert len(heard) == 1 and str(heard[0].message) == solver.report.preconditioner_note
    assert solver.report.near_null_misfit
    fitting = dwell.Solver(a, preconditioner="amg", near_null=dwell.rigid_body_modes(at), block_size=2, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitting.solve(f)
    assert not fitting.report.near_null_misfit


def test_modes_by_hand():
    assert np.array_equal(dwell.rigid_body_modes([[0, 0], [2, 4]]),
                          [[1, 0, 2], [0, 1, -1], [1, 0, -2], [0, 1, 1]])
    assert dwell.rigid_body_modes(np.zeros((5, 3)), rotations=True).shape == (30, 6)
    assert dwell.rigid_body_modes(np.zeros((5, 2)), rotations=True).shape == (15, 3)


def test_refusals():
    a, b = dwell.generate(FLAT), dwell.rigid_body_modes(dwell.generated_coordinates(FLAT))
    n = a.shape[0]

    def solver(v, **more):
        return dwell.Solver(a, preconditioner="amg", near_null=v, device="cpu", **more)

    with pytest.raises(ValueError, match=rf"near_null: expected shape \({n},\) or \({n}, k\), found"):
        solver(b[:-1])
    with pytest.raises(ValueError, match="expected 1 to 6 vectors"):
        solver(np.ones((n, 7)))
    with pytest.raises(ValueError, match="expected finite values, found nan in row 3 of vector 2"):
        wrong = b.copy()
        wrong[2, 1] = np.nan
        solver(wrong)
    with pytest.raises(ValueError, match="block_size: expected rows of a node"):
        solver(b, block_size=7)
    with pytest.raises(TypeError, match="near_null: expected real numbers"):
        solver(b.astype(complex))
    with pytest.raises(ValueError, match=r"coords: expected shape \(nodes, 2\) or \(nodes, 3\), found \(5, 4\)"):
        dwell.rigid_body_modes(np.zeros((5, 4)))
    with pytest.raises(ValueError, match="elasticity2d or elasticity3d"):
        dwell.generated_coordinates("poisson2d:5x5")
