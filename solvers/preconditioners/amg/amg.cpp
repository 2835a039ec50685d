// SPDX-License-Identifier: MIT
// Hierarchies on a CPU, and the inverse of the coarsest matrix.
#include "dwell/solvers/preconditioners/amg/amg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/team/row_table_cpu.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/amg/building.hpp"
#include "dwell/solvers/preconditioners/amg/coarsening_choice.hpp"

namespace dwell {
namespace amg {

namespace {

/// y += a x, elements from up to to - 1: what the compiler does several at a time, unlike a sum.
void add(double* y, double a, const double* x, index from, index to) {
  for (index k = from; k < to; ++k) y[k] += a * x[k];
}

/// Is it a null vector, up to the rounding of all levels above? Then the last pivot of the factor
/// is that rounding, of either sign.
bool is_null_vector(index rows, const std::vector<index>& row_ptr, const std::vector<index>& col,
                    const std::vector<double>& val, const double* v) {
  bool zeros = true;
  for (index i = 0; i < rows; ++i) {
    double sum = 0.0, size = 0.0;
    for (index k = row_ptr[static_cast<std::size_t>(i)];
         k < row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const double term = val[static_cast<std::size_t>(k)] * v[col[static_cast<std::size_t>(k)]];
      sum += term;
      size += std::fabs(term);
    }
    if (!(std::fabs(sum) <= 1e-9 * size)) return false;
    zeros = zeros && v[i] == 0.0;
  }
  return !zeros;
}
bool has_null_vector(index rows, const std::vector<index>& row_ptr, const std::vector<index>& col,
                     const std::vector<double>& val, const std::vector<double>& near_null) {
  if (near_null.empty())
    return is_null_vector(rows, row_ptr, col, val,
                          std::vector<double>(static_cast<std::size_t>(rows), 1.0).data());
  for (std::size_t first = 0; first < near_null.size(); first += static_cast<std::size_t>(rows))
    if (is_null_vector(rows, row_ptr, col, val, near_null.data() + first)) return true;
  return false;
}

}  // namespace

// Not by Eigen: what is inline there depends on the compiler's options, and would be linked into
// programs that have it with others.
std::vector<double> dense_inverse(index rows, const std::vector<index>& row_ptr,
                                  const std::vector<index>& col, const std::vector<double>& val,
                                  const std::vector<double>& near_null) {
  const auto n = static_cast<std::size_t>(rows);
  std::vector<double> a(n * n), scale(n, 0.0);  // by rows
  const auto row = [&](std::vector<double>& m, index i) {
    return m.data() + static_cast<std::size_t>(i) * n;
  };
  for (index i = 0; i < rows; ++i)
    for (index k = row_ptr[static_cast<std::size_t>(i)];
         k < row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      row(a, i)[col[static_cast<std::size_t>(k)]] += val[static_cast<std::size_t>(k)];
  for (index i = 0; i < rows; ++i)
    scale[static_cast<std::size_t>(i)] = 1.0 / std::sqrt(row(a, i)[i]);
  // Right of the diagonal, in its units, so that what is tiny is tiny for its row.
  for (index i = 0; i < rows; ++i)
    for (index j = i; j < rows; ++j) {
      const double even = 0.5 * (row(a, i)[j] + row(a, j)[i]);
      row(a, i)[j] = even * scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)];
    }
  const double tiny = has_null_vector(rows, row_ptr, col, val, near_null) ? 1e-8 : 1e-12;
  for (index j = 0; j < rows; ++j) {  // U' U = A; a row whose pivot is tiny is left out
    double* const u = row(a, j);
    const double inverse = u[j] > tiny ? 1.0 / std::sqrt(u[j]) : 0.0;
    for (index k = j + 1; k < rows; ++k) u[k] *= inverse;
    u[j] = inverse;  // inverse of the pivot's root
    for (index i = j + 1; i < rows; ++i)
      if (u[i] != 0.0) add(row(a, i), -u[i], u, i, rows);
  }
  std::vector<double> z(n * n);  // by rows: the inverse of U'
  for (index i = 0; i < rows; ++i) {
    double* const here = row(z, i);
    here[i] = 1.0;
    for (index k = 0; k < i; ++k)
      if (const double factor = row(a, k)[i]; factor != 0.0)
        add(here, -factor, row(z, k), 0, k + 1);
    for (index j = 0; j <= i; ++j) here[j] *= row(a, i)[i];
  }
  std::vector<double> inverse(n * n);
  for (index k = 0; k < rows; ++k) {
    const double* const from = row(z, k);
    for (index i = 0; i <= k; ++i)
      if (from[i] != 0.0) add(row(inverse, i), from[i], from, 0, i + 1);
  }
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j <= i; ++j)
      row(inverse, i)[j] = row(inverse, j)[i] = row(inverse, i)[j] *
                                                scale[static_cast<std::size_t>(i)] *
                                                scale[static_cast<std::size_t>(j)];
  return inverse;
}

double largest_diagonal(index rows, const std::vector<index>& row_ptr,
                        const std::vector<index>& col, const std::vector<double>& val) {
  double most = 1.0;
  bool found = false;
  for (index i = 0; i < rows; ++i)
    for (index k = row_ptr[static_cast<std::size_t>(i)];
         k < row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (col[static_cast<std::size_t>(k)] == i &&
          (!found || val[static_cast<std::size_t>(k)] > most))
        most = val[static_cast<std::size_t>(k)], found = true;
  return std::ldexp(1.0, std::ilogb(most));
}

preconditioner_options with_choices(backend on, preconditioner_options o) {
  const bool vectors = !o.near_null.empty();
  if (o.smoother == automatic) {
    o.smoother = on == backend::cpu && !vectors ? gauss_seidel_smoother : jacobi_smoother;
  } else if (o.smoother == gauss_seidel_smoother) {
    if (on != backend::cpu)
      throw unsupported_error(
          "smoother: expected jacobi or auto on a GPU, found gauss-seidel, which CPUs alone have");
    if (vectors)
      throw input_error("smoother: expected jacobi or auto with near_null, found gauss-seidel");
  }
  if (o.coarsening == automatic) {
    if (on != backend::cpu || vectors) o.coarsening = roots_word;
  } else if (o.coarsening == classical_word) {
    if (vectors)
      throw input_error("coarsening: expected roots or auto with near_null, found classical");
    if (on != backend::cpu) o.coarsening = classical_in_rounds_word;
  }
  return o;
}

}  // namespace amg

namespace {

/// Vectors that are not near the null space, or nothing.
std::string words_of_misfits(const std::vector<double>& rows_apart) {
  std::string numbers;
  double most = 0.0;
  for (std::size_t k = 0; k < rows_apart.size(); ++k)
    if (rows_apart[k] > amg::most_rows_apart) {
      numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", k + 1);
      most = std::max(most, rows_apart[k]);
    }
  if (numbers.empty()) return {};
  return fmt::format(
      "near-null vectors do not fit the matrix: of number {} (of {}) A z is over {:.0f} % of "
      "|A| |z| in up to {:.0f} % of the rows (the order of the rows, of the nodes or of the "
      "coordinates may be another one)",
      numbers, rows_apart.size(), 100 * amg::largest_of_fit, 100 * most);
}

}  // namespace

bool amg_hierarchy::vectors_misfit() const {
  return std::ranges::any_of(rows_apart, [](double apart) { return apart > amg::most_rows_apart; });
}

bool amg_hierarchy::ended_early() const {
  const bool inverted = levels.back().omega == 0.0 && levels.back().colours == 0;
  return stalled && !inverted;
}

std::string amg_hierarchy::note() const {
  const std::string misfits = words_of_misfits(rows_apart);
  if (!misfits.empty()) return misfits;
  const double complexity = operator_complexity();
  const bool early = ended_early();
  const double high =
      coarsening == coarsening_kind::classical ? high_classical_complexity : high_complexity;
  if (!early && complexity < high) return {};
  return fmt::format(
      "coarsening {} ({} levels, the last of {} rows; operator complexity {:.1f}): "
      "this matrix may be solved faster with jacobi",
      early ? "ended early" : "is slow", levels.size(), levels.back().rows, complexity);
}

double amg_hierarchy::operator_complexity() const {
  double all = 0.0;
  for (const amg_level& l : levels) all += l.nonzeros;
  return levels.empty() || levels[0].nonzeros == 0 ? 1.0 : all / levels[0].nonzeros;
}

namespace {
std::atomic<bool> made_on_gpu = false;
}  // namespace

bool made_amg_on_gpu() { return made_on_gpu; }

template <class T>
amg_hierarchy make_amg(const device& where, const csr_arrays<T>& a, const amg_options& o) {
  if (where.on() == backend::cuda) {
    amg_hierarchy made = cuda_backend<amg_set_up<T>>().make(where, a, o);
    made_on_gpu = true;
    return made;
  }
  return amg::make<amg::builder<cpu::setup_loops, cpu::row_table>>(where, a, o);
}
template amg_hierarchy make_amg(const device&, const csr_arrays<double>&, const amg_options&);
template amg_hierarchy make_amg(const device&, const csr_arrays<float>&, const amg_options&);

namespace {

index node_rows_of(const preconditioner_options& o) { return o.block_size == 0 ? 1 : o.block_size; }

/// Throws input_error unless they fit a matrix of so many rows.
void check_near_null(index rows, const preconditioner_options& o) {
  const auto n = static_cast<std::size_t>(rows);
  const std::vector<double>& v = o.near_null;
  if (n == 0 || v.size() % n != 0 || v.size() / n > amg::most_vectors)
    throw input_error(fmt::format(
        "near_null: expected 1 to {} vectors of {} values, one per row of the matrix, found {}{}",
        amg::most_vectors, rows, n > 0 && v.size() % n == 0 ? v.size() / n : v.size(),
        n > 0 && v.size() % n == 0 ? " vectors" : " values"));
  const auto wrong =
      std::find_if(v.begin(), v.end(), [](double e) { return !std::isfinite(e); }) - v.begin();
  if (wrong < std::ssize(v))
    throw input_error(fmt::format(
        "near_null: expected finite values, found {} in row {} of vector {} (counted from 1)",
        v[static_cast<std::size_t>(wrong)], wrong % rows + 1, wrong / rows + 1));
  if (v.size() > static_cast<std::size_t>(std::numeric_limits<index>::max()))
    throw input_error(
        fmt::format("near_null: expected at most 2^31 - 1 values, found {}", v.size()));
  if (o.block_size < 0 || o.block_size > amg::most_node_rows || rows % node_rows_of(o) != 0)
    throw input_error(fmt::format(
        "block_size: expected rows of a node, 1 to {} and a divisor of the matrix's {} rows (or 0: "
        "1), found {}",
        amg::most_node_rows, rows, o.block_size));
}

}  // namespace

template <class T>
prepared_preconditioner amg_preconditioner(const device& where, const csr_arrays<T>& a,
                                           const preconditioner_options& o) {
  constexpr index coloured_rows = 1000;  // with fewer, phases cost more than they save
  amg_options asked;
  asked.keep = o.keep_patterns;
  const preconditioner_options chosen = amg::with_choices(where.on(), o);
  if (chosen.smoother == amg::gauss_seidel_smoother) asked.coloured_rows = coloured_rows;
  std::string why;
  if (chosen.coarsening == automatic) {
    const amg::coarsening_choice found = amg::choose_coarsening(a);
    asked.coarsening = found.is;
    why = found.why;
  } else if (chosen.coarsening != amg::roots_word) {
    asked.coarsening = coarsening_kind::classical;
    asked.split_in_rounds = chosen.coarsening == amg::classical_in_rounds_word;
  }
  if (!o.near_null.empty()) {
    check_near_null(a.rows, o);
    asked.near_null = o.near_null;
    asked.node_rows = node_rows_of(o);
  }
  amg_hierarchy made = make_amg(where, a, asked);
  if (made.ended_early() && asked.coarsening == coarsening_kind::classical && !why.empty()) {
    asked.coarsening = coarsening_kind::roots;
    made = {};  // the memory of one at a time
    made = make_amg(where, a, asked);
    why = "coarsening roots: classical coarsening ended early";
  }
  prepared_preconditioner out;
  for (const amg_level& l : made.levels) {
    std::string name = "level " + std::to_string(out.parts.size() + 1);
    if (l.vectors > 0)
      name += fmt::format(", {} row{} a node, {} vector{}", l.node_rows,
                          l.node_rows == 1 ? "" : "s", l.vectors, l.vectors == 1 ? "" : "s");
    if (l.colours > 0) name += fmt::format(", {} colour{}", l.colours, l.colours == 1 ? "" : "s");
    out.parts.push_back({std::move(name), l.rows, l.nonzeros});
  }
  out.products = std::move(made.products);
  out.refresh = std::move(made.refresh);
  out.note = made.note();
  out.vectors_misfit = made.vectors_misfit();
  if (!why.empty()) out.note = why + (out.note.empty() ? "" : "; ") + out.note;
  return out;
}
template prepared_preconditioner amg_preconditioner(const device&, const csr_arrays<double>&,
                                                    const preconditioner_options&);
template prepared_preconditioner amg_preconditioner(const device&, const csr_arrays<float>&,
                                                    const preconditioner_options&);

}  // namespace dwell
