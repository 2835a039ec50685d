// SPDX-License-Identifier: MIT
// Method "direct" among the methods: its rows in the table, what it cannot do, and when it is worth
// its memory. Private to the solver.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dwell/device/device.hpp"
#include "dwell/formats/csr_view.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"
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
/// projected to be sooner than iterations, of which so many are expected; 0: by the size. Nothing
/// where this program has none, of too many rows, and where the null space is not that of zero.
direct_prospect direct_prospect_of(const row_pattern& a, const system_facts& facts,
                                   const searched_system& of, bool singular, double iterations = 0);
/// Iterations that cg with Jacobi's preconditioner is expected to take for eight digits, of a
/// symmetric matrix with a positive diagonal: by the pace of the first ones.
template <class T>
double iterations_by_probe(const csr_view<T>& a);
inline bool rows_beyond_advice(index rows) { return rows > most_rows_of_advice; }
/// Did a solve fail so that a direct solver may do better, after so many iterations that a count of
/// the fill is a small part of its time, or by a breakdown?
bool asks_for_direct(const solve_report& failed);
/// The end of the advice of a solve that has failed, "method direct, ..."; or nothing.
std::string direct_advice(const direct_prospect& seen);

}  // namespace dwell
