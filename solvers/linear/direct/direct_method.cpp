// SPDX-License-Identifier: MIT
// The rows, the refusals, and a model of what factors cost.
#include "dwell/solvers/linear/direct/direct_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/solvers/linear/choose/residual_pace.hpp"
#include "dwell/solvers/linear/direct/direct_candidate.hpp"
#include "dwell/solvers/linear/direct/factors.hpp"

namespace dwell {
namespace {

constexpr solver_variant direct_row(const char* name) {
  solver_variant row{};
  row.method = direct_method;
  row.title = "sparse direct solver";
  row.solves = matrix_class::general;
  row.breaks_down = "the matrix has no factors";
  row.name = name;
  row.program = direct_method;
  row.columns = 1;
  row.without = true;
  return row;
}
constexpr std::array<solver_variant, 2> rows_of_direct = {direct_row(variant_ldlt),
                                                          direct_row(variant_lu)};

[[noreturn]] void refuse(const char* what, std::string_view expected, std::string_view found) {
  throw unsupported_error(
      fmt::format("{}: expected {} with method direct, found {}", what, expected, found));
}

/// Iterations that take several times as long as a count of the fill.
constexpr int iterations_worth_a_count = 500;
/// Nobody is advised to wait longer.
constexpr double most_seconds = 120;

/// Nanoseconds of an iterative solve. Methods for all matrices have two products an iteration.
double iterative_cost(const searched_system& of, const system_facts& facts, double iterations) {
  const double products = facts.symmetric ? 1.0 : 2.0;
  if (!(iterations > 0)) iterations = prior_iterations(of);
  double least = products * iterations * cost_of(preconditioner::jacobi, of).iteration;
  if (facts.is(matrix_class::positive_definite) && of.rows_with_positive <= 0.05) {
    const preconditioner_cost amg = cost_of(preconditioner::amg, of);
    least = std::min(least, amg.set_up + 25.0 * amg.iteration);
  }
  return 6e5 + 20.0 * of.nonzeros + least;  // the set-up of any run
}

constexpr int steps_of_probe = 200;
constexpr double eight_digits_of_residual = 1e-8;
/// Expected where the residual does not fall at all.
constexpr double many_iterations = 20.0 * steps_of_probe;

double nonzeros_of(const factor_fill& fill, bool symmetric) {
  return (symmetric ? 1.0 : 2.0) * fill.nonzeros;
}

std::string count_of(double n) {
  return n < 1e6 ? fmt::format("{:.0f}", n) : fmt::format("{:.3g} million", n * 1e-6);
}
std::string bytes_text(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.3g} kB", bytes * 1e-3)
                     : fmt::format("{:.3g} MB", bytes * 1e-6);
}
const char* kind_of_factors(const system_facts& facts) {
  if (!facts.symmetric) return "L U";
  return facts.positive_diagonal ? "L D L^T" : "L D L^T, or L U where a pivot is zero,";
}

}  // namespace

std::span<const solver_variant> direct_variants() {
  return built_factors() ? std::span<const solver_variant>(rows_of_direct)
                         : std::span<const solver_variant>();
}

void check_direct(const solve_options& o) {
  if (o.executor != automatic) refuse("executor", "auto", o.executor);
  if (asks_to_cache(o.policy)) refuse("policy", "auto or none", o.policy);
  if (o.preconditioner != preconditioner::automatic && o.preconditioner != preconditioner::none)
    refuse("preconditioner", "auto or none", to_string(o.preconditioner));
  if (o.mixed_precision) refuse("precision", "f64 or f32", "mixed");
  if (o.null_space == "constant") refuse("null_space", "auto or none", o.null_space);
  if (!o.null_vectors.empty()) refuse("null_vectors", "none", "some");
  if (o.fixed_iterations) refuse("fixed_iterations", "false", "true");
  if (o.columns_at_once > 1) refuse("columns_at_once", "0 or 1", std::to_string(o.columns_at_once));
}

void require_direct_on(const device& where, const solve_options& o) {
  if (is_direct(o.method) && where.on() != backend::cpu)
    throw unsupported_error(
        fmt::format("method direct: expected a CPU as the device, found {}", where.facts().name));
}

bool may_follow_iterations(const solve_options& o) {
  if (o.method != automatic || o.preconditioner != preconditioner::automatic ||
      direct_variants().empty())
    return false;
  try {
    check_direct(o);
  } catch (const unsupported_error&) {
    return false;
  }
  return true;
}

bool counted_fill::has_room(bool symmetric) const {
  return free_memory == 0 ||
         bytes_of_factor(nonzeros_of(fill, symmetric)) < static_cast<double>(free_memory);
}

counted_fill count_fill(const row_pattern& a) {
  const bool whole = has_mirrors(a);
  const owned_pattern both = whole ? owned_pattern{} : with_mirrors(a);
  const row_pattern symmetric = whole ? a : both.view();
  counted_fill out;
  out.order = built_factors()->order(symmetric);
  out.fill = fill_of(symmetric, out.order);
  out.free_memory = host_memory_free();
  return out;
}

double cost_of_count(const searched_system& of) {
  return 2e5 + 28.0 * of.nonzeros + 280.0 * of.rows;
}

double cost_of_direct(const searched_system& of, const factor_fill& fill, bool symmetric) {
  if (symmetric) return cost_of_count(of) + 10.0 * fill.nonzeros + 0.23 * fill.flops;
  return cost_of_count(of) + 27.0 * fill.nonzeros + 0.9 * fill.flops;
}

direct_prospect direct_prospect_of(const row_pattern& a, const system_facts& facts,
                                   const searched_system& of, bool singular, double iterations,
                                   int threads) {
  direct_prospect out;
  out.symmetric = facts.symmetric;
  const auto unknown = [&](std::string why) {
    out.words = std::move(why);
    return out;
  };
  if (!built_factors()) return unknown("this program has no method direct");
  if (singular) return unknown("method direct is not for singular matrices");
  if (rows_beyond_advice(a.rows))
    return unknown(fmt::format("the fill is counted for at most {} rows, there are more",
                               most_rows_of_advice));
  return direct_prospect_of(count_fill(a), facts, of, iterations, threads);
}

direct_prospect direct_prospect_of(const counted_fill& counted, const system_facts& facts,
                                   const searched_system& of, double iterations, int threads) {
  const factor_fill& fill = counted.fill;
  const bool has_room = counted.has_room(facts.symmetric);
  direct_prospect out;
  out.symmetric = facts.symmetric;
  out.known = true;
  out.nonzeros = nonzeros_of(fill, facts.symmetric);
  out.bytes = bytes_of_factor(out.nonzeros);
  out.seconds = 1e-9 * cost_of_direct(of, fill, facts.symmetric);
  const double others = iterative_cost(of, facts, iterations);
  out.sooner = out.seconds < 1e-9 * others && has_room;
  // Nobody is advised to take what "auto" would not.
  searched_system with_threads = of;
  with_threads.threads = std::max(threads, 1);
  const bool clearly =
      out.sooner && is_clearly_sooner(with_threads, fill, facts.symmetric,
                                      iterative_cost(with_threads, facts, iterations));
  out.follows = threads > 0 && clearly;
  out.words = fmt::format(
      "{} of {}{} nonzeros, {}{}: about {:.2g} s, where iterations are expected to take {:.2g} "
      "s{}",
      kind_of_factors(facts), facts.symmetric ? "" : "at least about ", count_of(out.nonzeros),
      bytes_text(out.bytes), has_room ? "" : ", more than there is", out.seconds, 1e-9 * others,
      out.follows ? "; auto goes on with it once the residual shows that"
      : clearly   ? "; try --solver direct"
                  : "");
  return out;
}

template <class T>
double iterations_by_probe(const csr_view<T>& a) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> inverse(n, 1.0), r(n), p(n, 0.0), q(n);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] == i) inverse[slot(i)] = 1.0 / static_cast<double>(a.val[k]);
  const auto multiply = [&](const std::vector<double>& v, std::vector<double>& out) {
    for (index i = 0; i < a.rows; ++i) {
      double sum = 0;
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        sum += static_cast<double>(a.val[k]) * v[slot(a.col[k])];
      out[slot(i)] = sum;
    }
  };
  // A random answer has a part of every eigenvector.
  std::mt19937_64 random(1);
  for (double& v : q) v = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  multiply(q, r);
  const auto norms = [&] {
    double rr = 0, rz = 0;
    for (std::size_t i = 0; i < n; ++i) rr += r[i] * r[i], rz += r[i] * r[i] * inverse[i];
    return std::pair(rr, rz);
  };
  auto [rr, rz] = norms();
  const double target = eight_digits_of_residual * std::sqrt(rr);
  if (!(target > 0)) return 1;
  residual_pace pace(target, many_iterations);
  pace.note(rr);
  double beta = 0;
  for (int step = 1; step <= steps_of_probe; ++step) {
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] * inverse[i] + beta * p[i];
    multiply(p, q);
    double pq = 0;
    for (std::size_t i = 0; i < n; ++i) pq += p[i] * q[i];
    if (!(pq > 0)) return many_iterations;  // not definite
    const double alpha = rz / pq;
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    const auto [next_rr, next_rz] = norms();
    beta = next_rz / rz;
    rz = next_rz;
    pace.note(next_rr);
    if (pace.to_go() <= 0 || !(rz > 0)) return step;
  }
  return steps_of_probe + pace.left();
}

template double iterations_by_probe(const csr_view<double>&);
template double iterations_by_probe(const csr_view<float>&);

bool asks_for_direct(const solve_report& failed) {
  switch (failed.stopped) {
    case stop_reason::breakdown:
    case stop_reason::not_finite:
      return true;
    case stop_reason::iteration_limit:
      return failed.iterations >= iterations_worth_a_count;
    case stop_reason::accuracy_limit:
      return failed.componentwise_backward_error > much_for_rounding;
    default:
      return false;
  }
}

std::string direct_advice(const direct_prospect& seen, bool has_room) {
  if (!seen.known || !has_room || seen.seconds > most_seconds) return {};
  return fmt::format("method direct, whose factors have {}{} nonzeros ({})",
                     seen.symmetric ? "" : "at least about ", count_of(seen.nonzeros),
                     bytes_text(seen.bytes));
}

double bytes_of_factor(double nonzeros) { return 12.0 * nonzeros; }

}  // namespace dwell
