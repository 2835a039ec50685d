// SPDX-License-Identifier: MIT
// Method "direct" among the methods: its rows in the table, what it cannot do, and when it is worth
// its memory. Private to the solver.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr const char* no_preconditioner_of_direct = "a direct solver has none";

inline bool is_direct(std::string_view method) { return method == direct_method; }

/// Its rows, "ldlt" and "lu"; none of a program without a library of factors.
std::span<const solver_variant> direct_variants();

/// Throws unsupported_error for options that it cannot follow; o.method is direct.
void check_direct(const solve_options& o);
/// May it follow iterations? Where method, preconditioner and variant are "auto" and it can follow
/// the other options.
bool may_follow_iterations(const solve_options& o);
/// And for devices other than CPUs.
void require_direct_on(const device& where, const solve_options& o);

/// Rows from which on nobody counts a fill to give advice.
inline constexpr index most_rows_of_advice = 50000;

/// Throws device_error for too little memory. This program has factors.
counted_fill count_fill(const row_pattern& a);
/// Nanoseconds of one thread: a count of the fill, and a whole direct solve
/// (docs/results/direct-solver.md).
double cost_of_count(const searched_system& of);
double cost_of_direct(const searched_system& of, const factor_fill& fill, bool symmetric);

/// What a direct solver would need for a matrix of which this is the pattern, and whether it is
/// projected to be sooner than iterations, of which so many are expected; 0: by the size. Nothing
/// where this program has none, of too many rows, and where the null space is not that of zero.
/// threads: those of a solve that may go on with it, 0: none may.
direct_prospect direct_prospect_of(const row_pattern& a, const system_facts& facts,
                                   const searched_system& of, bool singular, double iterations = 0,
                                   int threads = 0);
/// With a fill that is known.
direct_prospect direct_prospect_of(const counted_fill& counted, const system_facts& facts,
                                   const searched_system& of, double iterations = 0,
                                   int threads = 0);
/// Iterations that cg with Jacobi's preconditioner is expected to take for eight digits, of a
/// symmetric matrix with a positive diagonal: by the pace of the first ones.
template <class T>
double iterations_by_probe(const csr_view<T>& a);
inline bool rows_beyond_advice(index rows) { return rows > most_rows_of_advice; }
/// A componentwise backward error that rounding in f64 does not explain.
inline constexpr double much_for_rounding = 1e-12;
/// Did a solve fail so that a direct solver may do better, after so many iterations that a count of
/// the fill is a small part of its time, or by a breakdown?
bool asks_for_direct(const solve_report& failed);
/// The end of the advice of a solve that has failed, "method direct, ..."; or nothing.
std::string direct_advice(const direct_prospect& seen, bool has_room);

}  // namespace dwell
