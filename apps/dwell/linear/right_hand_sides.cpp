// SPDX-License-Identifier: MIT
// Makes random right-hand sides, solves for all and checks that they fit into memory.
#include "linear/right_hand_sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "linear/vectors.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/linear/linear_solver.hpp"

namespace dwell::app {

namespace {

/// f(report, width) for the first column of every group.
template <class F>
void each_group(std::span<const solve_report> columns, F&& f) {
  for (std::size_t k = 0; k < columns.size();) {
    f(columns[k], columns[k].columns_together);
    k += static_cast<std::size_t>(columns[k].columns_together);
  }
}

template <class T>
std::vector<solve_report> solve_block(const device& where, const csr_view<T>& a,
                                      const std::vector<T>& b, std::vector<T>& x, int count,
                                      const solve_options& options) {
  const auto n = static_cast<std::size_t>(a.rows);
  linear_solver<T> solver(where, a, options);
  const double prepared = solver.setup().total();
  std::vector<solve_report> reports =
      solver.solve(std::span<const T>(b), n, std::span<T>(x), n, count);
  reports.front().setup = solver.setup();
  reports.front().setup_s += prepared;
  return reports;
}

}  // namespace

std::vector<double> random_rhs(std::int64_t first, std::size_t count, int number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  random.discard(static_cast<unsigned long long>(first));
  std::vector<double> v(count);
  for (double& e : v) e = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
  return v;
}

void require_memory_for_columns(std::int64_t rows, int count, const std::string& precision) {
  const std::size_t free = host_memory_free();
  if (free == 0 || count == 1) return;  // the system does not say; the matrix is larger
  const double each = precision == "f32" ? sizeof(double) + sizeof(float) : sizeof(double);
  const double bytes = 2 * each * static_cast<double>(rows) * static_cast<double>(count);
  if (bytes <= static_cast<double>(free)) return;
  throw device_error(fmt::format(
      "too little memory: {} right-hand sides and answers of {} values need {}, {} are free "
      "(--rhs-count)",
      format_count(count), format_count(rows), format_bytes(bytes),
      format_bytes(static_cast<double>(free))));
}

std::vector<double> with_random(std::vector<double> first, int count) {
  const std::size_t rows = first.size();
  first.reserve(rows * static_cast<std::size_t>(count));
  for (int k = 1; k < count; ++k) {
    const std::vector<double> more = random_rhs(0, rows, k + 1);
    first.insert(first.end(), more.begin(), more.end());
  }
  return first;
}

std::vector<solve_report> solve_several(const std::string& precision, const device& where,
                                        const csr<double>& a, const std::vector<double>& b,
                                        std::vector<double>& x, int count,
                                        const solve_options& options) {
  const std::vector<double> all_b = with_random(b, count);
  std::vector<double> all_x = x;
  all_x.resize(all_b.size(), 0.0);
  std::vector<solve_report> reports;
  if (precision != "f32") {
    reports = solve_block(where, a.view(), all_b, all_x, count, options);
  } else {
    const auto single = convert<float>(a.view());
    const auto b_single = rhs_to_single(all_b);
    auto x_single = to_single(all_x, "start vector");
    reports = solve_block(where, single.view(), b_single, x_single, count, options);
    std::copy(x_single.begin(), x_single.end(), all_x.begin());
  }
  std::copy_n(all_x.begin(), x.size(), x.begin());
  return reports;
}

double solve_seconds(std::span<const solve_report> columns) {
  double all = 0;
  // Reports of a group have the time of all; those that were refined have their own besides.
  for (std::size_t k = 0; k < columns.size();) {
    const auto group = columns.subspan(k, static_cast<std::size_t>(columns[k].columns_together));
    double least = group.front().solve_s;
    for (const solve_report& r : group) least = std::min(least, r.solve_s);
    all += least;
    for (const solve_report& r : group) all += r.solve_s - least;
    k += group.size();
  }
  return all;
}

std::string describe_columns(std::span<const solve_report> columns) {
  std::vector<int> widths;
  each_group(columns, [&](const solve_report&, int width) { widths.push_back(width); });
  const auto [least, most] = std::minmax_element(
      columns.begin(), columns.end(),
      [](const solve_report& a, const solve_report& b) { return a.iterations < b.iterations; });
  const auto ended = std::count_if(columns.begin(), columns.end(), [](const solve_report& r) {
    return r.stopped == stop_reason::converged && !r.target_missed;
  });
  return fmt::format("{} in passes of {}; {} converged, after {} to {} iterations; {} each",
                     columns.size(), fmt::join(widths, " + "), ended, least->iterations,
                     most->iterations,
                     format_seconds(solve_seconds(columns) / static_cast<double>(columns.size())));
}

}  // namespace dwell::app
