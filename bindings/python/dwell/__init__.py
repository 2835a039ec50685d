# SPDX-License-Identifier: MIT
"""Iterative solvers whose data stay on the chip: linear systems and stencils; and convolutions, scans and reductions.

>>> import dwell
>>> A = dwell.generate("poisson2d:30x20")
>>> x, info = dwell.cg(A, A.sum(axis=1))
>>> info
0
"""
from ._cg import bicgstab, cg, gmres, minres
from ._compare import Comparison, compare
from ._convolve import ConvolutionReport, ConvolutionRunner, convolve
from ._core import DeviceError, UnsupportedError
from ._core import version as _version
from ._device import DeviceInfo, devices
from ._matrices import generate, generated_coordinates, generated_kinds, read_matrix
from ._near_null import rigid_body_modes
from ._product import Product, ProductReport
from ._reduce import dot, reduce
from ._report import Breakdown, Report, Setup
from ._runner import Moment, Runner
from ._scan import box_mean, scan, summed_area_table
from ._solver import Solver
from ._stencil import stencil
from ._stencil_report import Outcome, Shape, StencilReport, StencilSetup, shapes
from ._warnings import RoundingWarning, SolveWarning

__version__ = _version()
for _shown in (DeviceError, RoundingWarning, SolveWarning, UnsupportedError):  # by the names under which users find them
    _shown.__module__ = __name__

__all__ = [
    "Breakdown", "Comparison", "ConvolutionReport", "ConvolutionRunner", "DeviceError", "DeviceInfo", "Moment",
    "Outcome", "Product", "ProductReport", "Report", "RoundingWarning", "Runner", "Setup", "Shape", "SolveWarning",
    "Solver", "StencilReport", "StencilSetup", "UnsupportedError", "__version__", "bicgstab", "box_mean", "cg",
    "compare", "convolve", "devices", "dot", "generate", "generated_coordinates", "generated_kinds", "gmres", "minres",
    "read_matrix", "reduce", "rigid_body_modes", "scan", "shapes", "stencil", "summed_area_table",
]
