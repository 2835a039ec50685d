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
from ._checks import number
from ._derivative import solve_for_derivative
from ._options import DEFAULTS
from ._solver import Solver


def cg(A: Any, b: jax.Array, *, rtol: float = DEFAULTS["rtol"], atol: float = DEFAULTS["atol"],
       maxiter: int | None = None, M: str | None = None, **options: Any) -> tuple[jax.Array, jax.Array]:
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

    Raises
    ------
    ValueError, TypeError, UnsupportedError, DeviceError
        As ``dwell.cg`` does. Under ``jit`` options are checked while it traces; what is wrong with an array is found when
        it runs, and JAX then raises an error of its own with the message in it.

    Notes
    -----
    The derivative is a solve with the same matrix, which is symmetric, to the same tolerance relative to its own
    right-hand side (of `atol` to that relative to b); a ``SolveWarning`` says where it does not converge. That in the
    values of A is one for each stored entry: who keeps A symmetric has it add up for both triangles. Precision is that
    of `b` and `A`; float64 needs ``jax_enable_x64``.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, dwell.jax
    >>> A = jnp.array([0, 1, 2]), jnp.array([0, 1]), jnp.array([2.0, 4.0])
    >>> x, info = jax.jit(lambda b: dwell.jax.cg(A, b))(jnp.ones(2))
    >>> [round(float(v), 6) for v in x]
    [0.5, 0.25]
    """
    if isinstance(A, tuple):
        if len(A) != 3:
            raise TypeError(f"A: expected a tuple (indptr, indices, data), found one of {len(A)}")
        indptr, indices, data = A
    elif all(hasattr(A, part) for part in ("indptr", "indices", "data")):
        indptr, indices, data = A.indptr, A.indices, A.data
    else:
        raise TypeError(f"A: expected a tuple (indptr, indices, data) or a BCSR, found {type(A).__name__}")
    dtype = jnp.result_type(data, b)
    data, b = jnp.asarray(data, dtype), jnp.asarray(b, dtype)
    n = indptr.shape[0] - 1
    if b.shape != (n,):
        raise ValueError(f"b: expected shape ({n},), found {b.shape}")
    how = {"maxiter": maxiter, "M": M, **options}
    rtol, atol = number(rtol, "rtol"), number(atol, "atol")
    if any(isinstance(a, jax.core.Tracer) for a in (indptr, indices, data, b)):
        _check_options(dtype, rtol, atol, how)
    of_entry = jnp.repeat(jnp.arange(n), jnp.diff(indptr), total_repeat_length=indices.shape[0])
    like_x, like_info = jax.ShapeDtypeStruct((n,), dtype), jax.ShapeDtypeStruct((), jnp.int32)  # type: ignore[no-untyped-call]

    def forward_on_host(indptr: Any, indices: Any, data: Any, b: Any) -> tuple[Any, Any]:
        x, info = _cg(_matrix(indptr, indices, data), np.asarray(b), rtol=rtol, atol=atol, **how)
        return x, np.int32(info)

    def derivative_on_host(indptr: Any, indices: Any, data: Any, norm_of_b: Any, rhs: Any) -> Any:
        return solve_for_derivative(_matrix(indptr, indices, data), np.asarray(rhs), float(norm_of_b), rtol, atol, **how)

    def product(data: jax.Array, x: jax.Array) -> jax.Array:
        return jax.ops.segment_sum(data * x[indices], of_entry, n)

    @jax.custom_jvp
    def solve(data: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
        arrays = indptr, indices, data, b
        if not any(isinstance(a, jax.core.Tracer) for a in arrays):  # exceptions are those of the solve
            x, info = forward_on_host(*arrays)
            return jnp.asarray(x), jnp.asarray(info)
        x, info = jax.pure_callback(forward_on_host, (like_x, like_info), *arrays, vmap_method="sequential")
        return x, info

    @solve.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        (data, b), (data_dot, b_dot) = primals, tangents
        x, info = solve(data, b)
        norm_of_b = jax.lax.stop_gradient(jnp.linalg.norm(b))

        def solve_derivative(_matvec: Any, rhs: jax.Array) -> jax.Array:
            out: jax.Array = jax.pure_callback(derivative_on_host, like_x, indptr, indices, jax.lax.stop_gradient(data),
                                               norm_of_b, rhs, vmap_method="sequential")
            return out

        x_dot = jax.lax.custom_linear_solve(lambda v: product(data, v), b_dot - product(data_dot, x), solve_derivative,
                                            symmetric=True)
        return (x, info), (x_dot, np.zeros(info.shape, jax.dtypes.float0))

    x, info = solve(data, b)
    return x, info


def _matrix(*arrays: Any) -> tuple[Any, ...]:
    return tuple(np.asarray(a) for a in arrays)


def _check_options(dtype: Any, rtol: float, atol: float, how: dict[str, Any]) -> None:
    """Raises what a solve with these options would: an exception of a callback, once traced, is one of JAX. Options of
    vectors wait for their matrix."""
    one = np.array([0, 1], np.int32), np.array([0], np.int32), np.ones(1, dtype)
    Solver(one, rtol=rtol, atol=atol, device="cpu", threads=1)
    _cg(one, np.ones(1, dtype), **{k: v for k, v in how.items() if k not in ("near_null", "null_vectors")})
