// SPDX-License-Identifier: MIT
// A stencil of several fields as text: what people write in a file, and what a printed definition
// of Python reads.
//
//   a = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1]   # a name of its own, in what follows
//   u = 2 * u - v + c2 * (a - 4 * u)              # the new value of a field
//   v = u                                         # of the old u
//
// u is the cell, u[-1, 0] its neighbour one row before, with an offset for each axis, the slowest
// first; names and expressions in parentheses have neighbours, too: (u * v)[0, 1]. There are
// numbers, + - * /, ** with a whole exponent (products, by squaring), comparisons, & | ~ of
// comparisons in parentheses, and min, max, abs, sqrt, exp, log, sin, cos, tanh, floor,
// fma(a, b, c) and where(condition, a, b). They bind as in Python. Operations are done in the order
// of the text, from left to right; arithmetic of numbers alone is done once, in f64.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/error.hpp"
#include "dwell/stencil/definition.hpp"

namespace dwell {

/// What a text says of a stencil.
struct stencil_formulas {
  std::string name = "stencil";           ///< an identifier
  int dims = 0;                           ///< 1, 2 or 3; 0: as many as neighbours have offsets
  std::vector<std::string> fields;        ///< names, in their order
  std::vector<std::string> coefficients;  ///< names of read-only arrays
  std::vector<std::string> parameters;    ///< names of numbers
  /// A step's stages, usually one: lines NAME = EXPRESSION, with what follows a # left out. A line
  /// may end within parentheses. All fields of a stage's expressions have the values from before
  /// it.
  std::vector<std::string> stages;
};

/// A text that cannot be read, and where.
struct DWELL_API formula_error : input_error {
  /// "line 2, column 14: what": both count from 1.
  formula_error(int stage, int line, int column, const std::string& what);
  int stage;                  ///< from 0
  int line;                   ///< in the stage's text, from 1
  std::string what_is_wrong;  ///< the message without the place
};

/// Throws formula_error, and input_error for what stencil_definition refuses.
DWELL_API stencil_definition parse_formulas(const stencil_formulas& text);

}  // namespace dwell
