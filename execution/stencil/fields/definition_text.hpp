// SPDX-License-Identifier: MIT
// A definition as text: for people, and as C++ for compilers. Every program that is compiled while
// Dwell runs begins with cell_math_text(), goes on with kernel_text(), and ends with what its
// backend adds: cpu_program() for loops over rows.
#pragma once
#include <string>
#include <string_view>

#include "dwell/stencil/definition.hpp"

namespace dwell {

/// "+" ... "!=" of operations that C++ and people write between two numbers; "" of others.
std::string_view infix_symbol(cell_op op);

/// stencil_definition::describe().
std::string description_of(const stencil_definition& definition);

/// stencil_definition::source().
std::string kernel_text(const stencil_definition& definition);

/// The macros of base/fn.hpp and cell_math.hpp, without includes.
std::string_view cell_math_text();

/// A whole program for the compiler of a CPU: a C function dwell_stage_K for each stage that
/// computes anything, a row_function (row_kernel.hpp) for cells in `real`, "double" or "float".
std::string cpu_program(const stencil_definition& definition, std::string_view real);

}  // namespace dwell
