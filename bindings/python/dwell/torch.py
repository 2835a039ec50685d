# SPDX-License-Identifier: MIT
"""Conjugate gradients inside programs of PyTorch: a solve that autograd goes through."""
from __future__ import annotations

from typing import Any

import torch

from ._cg import cg as _cg
from ._checks import number
from ._derivative import solve_for_derivative
from ._options import DEFAULTS


class _Solve(torch.autograd.Function):  # type: ignore[misc]
    """x of (values, b); the matrix is symmetric, so both derivatives are one more solve with it."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, b: torch.Tensor, indptr: torch.Tensor, indices: torch.Tensor,
                options: dict[str, Any]) -> tuple[torch.Tensor, int]:
        x, info = _cg((indptr, indices, values.detach()), b.detach(), **options)
        ctx.save_for_backward(values, indptr, indices, x)
        ctx.options = options
        ctx.norm_of_b = float(torch.linalg.vector_norm(b.detach())) if options["atol"] > 0 else 0.0
        return x, info

    @staticmethod
    def backward(ctx: Any, grad_x: torch.Tensor, _info: Any) -> tuple[Any, ...]:
        values, indptr, indices, x = ctx.saved_tensors
        grad_b = solve_for_derivative((indptr, indices, values.detach()), grad_x.contiguous(), ctx.norm_of_b,
                                      **ctx.options)
        grad_values = None
        if ctx.needs_input_grad[0]:
            rows = torch.repeat_interleave(torch.arange(len(indptr) - 1, device=x.device), indptr.long().diff())
            grad_values = -grad_b[rows] * x[indices.long()]
        return grad_values, grad_b, None, None, None


def cg(A: Any, b: torch.Tensor, *, rtol: float = DEFAULTS["rtol"], atol: float = DEFAULTS["atol"],
       maxiter: int | None = None, M: str | None = None, **options: Any) -> tuple[torch.Tensor, int]:
    """Solve ``A x = b`` as ``dwell.cg`` does, differentiable in b and in the values of A.

    Parameters
    ----------
    A : tuple (indptr, indices, values), or tensor of layout sparse_csr
        Symmetric positive definite. Gradients reach `values` of a tuple; a sparse tensor is a constant.
    b : tensor of shape (n,)
        Of the dtype and on the device of the values.
    rtol, atol, maxiter, M, **options
        As of ``dwell.cg``.

    Returns
    -------
    x : tensor of shape (n,)
    info : int
        As of ``dwell.cg``.

    Raises
    ------
    ValueError, TypeError, DeviceError
        As ``dwell.cg`` does.

    Notes
    -----
    The backward pass is a solve with the same matrix, which is symmetric, to the same tolerance relative to its own
    right-hand side (of `atol` to that relative to b). It raises what a solve raises, and a ``SolveWarning`` says where it
    does not converge. The gradient in the values is one for each stored entry: who keeps A symmetric has it add up for
    both triangles.

    Examples
    --------
    >>> import torch, dwell.torch
    >>> b = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> A = torch.tensor([[2.0, 0], [0, 4.0]], dtype=torch.float64).to_sparse_csr()
    >>> x, info = dwell.torch.cg(A, b)
    >>> x.sum().backward()
    >>> b.grad.tolist()
    [0.5, 0.25]
    """
    if isinstance(A, tuple):
        indptr, indices, values = A
    elif A.layout == torch.sparse_csr:
        indptr, indices, values = A.crow_indices(), A.col_indices(), A.detach().values()
    else:
        raise TypeError(f"A: expected a tuple (indptr, indices, values) or a tensor of layout sparse_csr, found {A.layout}")
    if b.dim() != 1 or b.dtype != values.dtype:
        raise ValueError(f"b: expected shape (n,) of {values.dtype}, found {tuple(b.shape)} of {b.dtype}")
    how = {"rtol": number(rtol, "rtol"), "atol": number(atol, "atol"), "maxiter": maxiter, "M": M, **options}
    x, info = _Solve.apply(values, b, indptr, indices, how)
    return x, info
