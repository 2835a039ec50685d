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
from ._define import Definition, define, explain, keep
from ._device import DeviceInfo, devices
from ._field_report import FieldReport
from ._field_runner import FieldMoment, FieldRunner
from ._functions import abs, cos, exp, floor, fma, log, maximum, minimum, sin, sqrt, tanh
from ._grid import GridSolver
from ._grid_operator import GridOperator
from ._grid_report import GridReport
from ._matrices import generate, generated_coordinates, generated_kinds, read_matrix
from ._near_null import rigid_body_modes
from ._poisson import poisson
from ._product import Product, ProductReport
from ._reduce import dot, reduce
from ._report import Attempt, Breakdown, Report, Setup
from ._run import FieldResult, run
from ._runner import Moment, Runner
from ._scan import box_mean, scan, summed_area_table
from ._solver import Solver
from ._stencil import stencil
from ._stencil_report import Outcome, Shape, StencilReport, StencilSetup, shapes
from ._step_matrix import StepMatrix, step_matrix
from ._tape import DefinitionError
from ._values import where
from ._warnings import RoundingWarning, SolveWarning
from . import stencils

__version__ = _version()
for _shown in (DeviceError, RoundingWarning, SolveWarning, UnsupportedError):  # by the names under which users find them
    _shown.__module__ = __name__

__all__ = [
    "Attempt", "Breakdown", "Comparison", "ConvolutionReport", "ConvolutionRunner", "Definition", "DefinitionError",
    "DeviceError", "DeviceInfo", "FieldMoment", "FieldReport", "FieldResult", "FieldRunner", "GridOperator", "GridReport", "GridSolver", "Moment", "Outcome",
    "Product", "ProductReport", "Report", "RoundingWarning", "Runner", "Setup", "Shape", "SolveWarning", "Solver",
    "StencilReport", "StencilSetup", "StepMatrix", "UnsupportedError", "__version__", "abs", "bicgstab", "box_mean", "cg", "compare",
    "convolve", "cos", "define", "devices", "dot", "exp", "explain", "floor", "fma", "generate", "generated_coordinates",
    "generated_kinds", "gmres", "keep", "log", "maximum", "minimum", "minres", "poisson", "read_matrix", "reduce",
    "rigid_body_modes", "run", "scan", "shapes", "sin", "sqrt", "stencil", "stencils", "step_matrix", "summed_area_table", "tanh",
    "where",
]
