// SPDX-License-Identifier: MIT
// The choices that the subcommands of linear systems share.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// Forms of conjugate gradients, "auto" among them.
std::vector<std::string> variant_choices();

/// --solver.
CLI::Option* add_solver(CLI::App& app, std::string& value);
/// --variant.
CLI::Option* add_variant(CLI::App& app, std::string& value, const std::string& help);
/// What the preconditioners are, in a few words each.
inline constexpr const char* preconditioner_help =
    "jacobi divides by the diagonal, block-jacobi by its blocks; for symmetric positive definite "
    "matrices amg is a cycle of aggregation multigrid, fsai a factorized approximate inverse and "
    "chebyshev a polynomial in the matrix; ilu0 has incomplete factors, for bicgstab and gmres";
/// What --precision does.
inline constexpr const char* precision_help =
    "Of the matrix and the vectors; mixed iterates in f32 and keeps the answer and its residual in "
    "f64, by iterative refinement, and goes on in f64 where f32 is too short for the matrix";
/// --preconditioner, and the options of single ones: --block-size, --degree, --power,
/// --factor-sweeps and --sweeps. leave_open: "auto" is one of the choices. method: that of the
/// command, or "auto": shells complete what it takes.
CLI::Option* add_preconditioner(CLI::App& app, preconditioner& value,
                                preconditioner_options& options, const std::string& help,
                                bool leave_open, const std::string& method);
/// The options of single preconditioners alone.
void add_preconditioning(CLI::App& app, preconditioner_options& options);

}  // namespace dwell::app
