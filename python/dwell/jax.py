# SPDX-License-Identifier: MIT
"""Conjugate gradients inside programs of JAX: under ``jit``, ``grad``, ``vmap``.

The solve is a callback on the host (``jax.pure_callback``). A handler of XLA's FFI would save a copy of b and x, but its
headers come with jaxlib only: 350 MB would be needed to build a wheel, which would be tied to that version's interface.
Arrays of a GPU therefore go by the host here; ``dwell.cg`` and ``dwell.Solver`` use them in place.
"""
from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._cg import cg as _cg


def cg(A: Any, b: jax.Array, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None,
       M: str | None = None, **options: Any) -> tuple[jax.Array, jax.Array]:
    """Solve ``A x = b`` as ``dwell.cg`` does, differentiable in b and in the values of A.

    Parameters
    ----------
    A : jax.experimental.sparse.BCSR of shape (n, n), or tuple (indptr, indices, data)
        Symmetric positive definite, indices sorted and without duplicates.
    b : jax.Array of shape (n,)
    rtol, atol, maxiter, M, **options
        As of ``dwell.cg``; they must be constants.

    Returns
    -------
    x : jax.Array of shape (n,)
    info : jax.Array of int32
        As of ``dwell.cg``.

    Notes
    -----
    The derivative is a solve with the same matrix, which is symmetric, to the same tolerance. That in the values of A
    is one for each stored entry: who keeps A symmetric has it add up for both triangles. Precision is that of `b` and
    `A`; float64 needs ``jax_enable_x64``.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, dwell.jax
    >>> A = jnp.array([0, 1, 2]), jnp.array([0, 1]), jnp.array([2.0, 4.0])
    >>> x, info = jax.jit(lambda b: dwell.jax.cg(A, b))(jnp.ones(2))
    >>> [round(float(v), 6) for v in x]
    [0.5, 0.25]
    """
    indptr, indices, data = A if isinstance(A, tuple) else (A.indptr, A.indices, A.data)
    dtype = jnp.result_type(data, b)
    data, b = jnp.asarray(data, dtype), jnp.asarray(b, dtype)
    n = indptr.shape[0] - 1
    if b.shape != (n,):
        raise ValueError(f"b: expected shape ({n},), found {b.shape}")
    of_entry = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])
    how = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "M": M, **options}

    def on_host(*arrays: Any) -> tuple[Any, Any]:
        *matrix, rhs = (np.asarray(a) for a in arrays)
        x, info = _cg(tuple(matrix), rhs, **how)
        return x, np.int32(info)

    def matvec(x: jax.Array) -> jax.Array:
        return jax.ops.segment_sum(data * x[indices], of_entry, n)

    def solve(_matvec: Any, rhs: jax.Array) -> tuple[jax.Array, jax.Array]:
        answer: Any = jax.eval_shape(lambda: (jnp.zeros(n, dtype), jnp.zeros((), jnp.int32)))
        x, info = jax.pure_callback(on_host, answer, indptr, indices, jax.lax.stop_gradient(data), rhs,
                                    vmap_method="sequential")
        return x, info

    x, info = jax.lax.custom_linear_solve(matvec, b, solve, symmetric=True, has_aux=True)
    return x, info
