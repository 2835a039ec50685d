// SPDX-License-Identifier: MIT
// Lengths are checked here, where the name of the file is known.
#include "linear/complex_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "dwell/base/error.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/linear/complex_solver.hpp"

namespace dwell::app {
namespace {

using number = std::complex<double>;

std::vector<number> read_fitting_complex(const std::string& file, const char* what,
                                         const matrix_source& source, int threads) {
  const auto rows = source.complex->matrix.rows;
  require_fitting(file, what, source.name, rows);
  auto v = read_complex_vector(file, threads);
  if (v.size() != static_cast<std::size_t>(rows))
    throw input_error(fmt::format("{}: expected {} values for the {}, one per row of {}, found {}",
                                  file, rows, what, source.name, v.size()));
  return v;
}

std::vector<std::complex<float>> to_single(const std::vector<number>& v, const char* what) {
  std::vector<std::complex<float>> out;
  out.reserve(v.size());
  for (const number& one : v) {
    out.emplace_back(one);
    if (!std::isfinite(out.back().real()) || !std::isfinite(out.back().imag()))
      throw input_error(
          fmt::format("{}: value {} ({}{:+}i) is too large for --precision f32; use f64", what,
                      out.size(), one.real(), one.imag()));
  }
  return out;
}

}  // namespace

void check_complex(const solve_arguments& args) {
  const auto refuse = [](const char* option) {
    throw unsupported_error(fmt::format("{}: not with a complex matrix", option));
  };
  if (args.ranks.any()) refuse("--ranks and --distributed");
  if (args.rhs_count != 1) refuse("--rhs-count");
  if (!args.null_vectors.empty()) refuse("--null-vectors");
  if (args.near_null.any()) refuse("--near-null and --coordinates");
  if (args.device_facts.given()) refuse("--device-facts");
  if (args.output && args.output.path().ends_with(".npy"))
    throw input_error(
        fmt::format("--output: expected a name that ends in .mtx or .mtx.gz for a complex answer, "
                    "found '{}'",
                    args.output.name()));
}

complex_vectors make_complex_vectors(const rhs_source& rhs, const std::string& start,
                                     const matrix_source& source, int threads) {
  const mm_complex_matrix& of = *source.complex;
  const csr<number>& a = of.matrix;
  const auto n = static_cast<std::size_t>(a.rows);
  complex_vectors v;
  switch (rhs.what) {
    case rhs_source::kind::ones:
      v.b.assign(n, 1.0);
      break;
    case rhs_source::kind::row_sums:
      v.b.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
          v.b[i] += a.val[static_cast<std::size_t>(k)];
      break;
    case rhs_source::kind::companion:
      if (!of.companion_refusal.empty())
        throw input_error("--rhs companion: " + of.companion_refusal);
      if (!of.companion_rhs) refuse_companion(source.name, a.rows);
      v.b = *of.companion_rhs;
      break;
    case rhs_source::kind::file:
      v.b = read_fitting_complex(rhs.file, "right-hand side", source, threads);
      break;
  }
  v.x = start.empty() ? std::vector<number>(n)
                      : read_fitting_complex(start, "start vector", source, threads);
  return v;
}

std::int64_t count_explicit_zeros(const csr<number>& a) {
  return std::count(a.val.begin(), a.val.end(), number(0.0));
}

solve_report solve_complex_in(const std::string& precision, const device& where,
                              const csr<number>& a, complex_vectors& v,
                              const solve_options& options) {
  if (precision != "f32")
    return solve(where, a.view(), std::span<const number>(v.b), std::span<number>(v.x), options);
  using single = std::complex<float>;
  const auto matrix = convert<single>(a.view());
  const auto b = to_single(v.b, "right-hand side");
  auto x = to_single(v.x, "start vector");
  const auto report =
      solve(where, matrix.view(), std::span<const single>(b), std::span<single>(x), options);
  std::copy(x.begin(), x.end(), v.x.begin());
  return report;
}

double norm_of(const std::vector<number>& b) {
  std::vector<double> parts;
  for (const number& v : b) parts.push_back(v.real()), parts.push_back(v.imag());
  return norm_of(std::span<const double>(parts));
}

double largest_error(const std::vector<number>& x) {
  double largest = 0;
  for (const number& v : x) {
    const double error = std::abs(v - 1.0);
    largest = error > largest || error != error ? error : largest;
  }
  return largest;
}

}  // namespace dwell::app
