// SPDX-License-Identifier: MIT
// Method "direct" among the methods: its rows in the table, what it cannot do, and when it is worth
// its memory. Private to the solver.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dwell/device/device.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/direct/fill.hpp"

namespace dwell {

inline constexpr const char* direct_method = "direct";
/// Its executor in reports: the library that has the factors.
inline constexpr const char* direct_executor = "eigen";
inline constexpr const char *variant_ldlt = "ldlt", *variant_lu = "lu";

inline bool is_direct(std::string_view method) { return method == direct_method; }

/// Its rows, "ldlt" and "lu"; none of a program without a library of factors.
std::span<const solver_variant> direct_variants();

/// Throws unsupported_error for options that it cannot follow; o.method is direct.
void check_direct(const solve_options& o);
/// And for devices other than CPUs.
void require_direct_on(const device& where, const solve_options& o);

/// Rows from which on nobody counts a fill to give advice.
inline constexpr index most_rows_of_advice = 50000;

/// What a direct solver would need for a matrix of which this is the pattern, and whether it is
/// projected to be sooner than iterations. Nothing where this program has none, of too many rows,
/// and where the null space is not that of zero.
direct_prospect direct_prospect_of(const row_pattern& a, const system_facts& facts,
                                   bool has_null_space);
/// The advice of a solve that has failed; or nothing.
std::string direct_advice(const direct_prospect& seen);

}  // namespace dwell
