// SPDX-License-Identifier: MIT
// On a GPU a pass takes as long as the scarcest of what it needs, the chain of a tile and a launch
// (convolution_time.hpp), and the algorithm with the least projected time is taken. On a CPU what
// lies beside a lane is an unaligned load, as fast as any, so sums have nothing to gain from
// moving: `window` is taken, or, where rows share sets of the cache, `shared`.
#include "dwell/solvers/arrays/convolution/decide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/window.hpp"
#include "dwell/solvers/arrays/convolution/convolution_time.hpp"

namespace dwell {
namespace {

/// Multiply-adds per cell that a CPU does in the time of a pass over memory (docs/results/
/// systolic.md); of f64 half as many, in half as many cells.
constexpr double free_taps_of_cpu = 16;
/// Columns of taps from which on the copy of a tile costs a CPU less than it saves (likewise).
constexpr int columns_worth_a_copy = 5;
/// Elements that a multiprocessor shuffles, or reads from L1 or shared memory, in a cycle (CUDA C++
/// Programming Guide, throughput of arithmetic instructions: 32 lanes of 4 bytes; those of 8 took
/// no longer where it was measured, docs/results/systolic.md).
constexpr double moved_per_cycle = 32;

constexpr int warp_lanes = 32, piece_bytes = 16;

model::convolution_rates rates_of(const device_facts& where, int element_bytes) {
  const device_limits l = limits_of(where);
  return {element_bytes == 8 ? l.fma_f64 : l.fma_f32, moved_per_cycle,
          l.memory / element_bytes / (l.clock * l.units)};
}

/// Taps per cell of one pass, at least as many as the pass over memory takes anyway.
double taps_worth(const extents& taps, const device_facts& where, int element_bytes) {
  const auto count = static_cast<double>(taps.cells());
  if (where.on == backend::cpu) return std::max(count, free_taps_of_cpu);
  const model::convolution_rates r = rates_of(where, element_bytes);
  return std::max(count, 2 * r.multiply_adds / r.elements_from_memory);
}

/// A convolution is a correlation with the filter turned round; the cell itself then has as many
/// taps before it as it had behind.
filter_pass pass_of(const extents& taps, std::vector<double> weights, bool correlate) {
  const auto before = [&](int n) { return correlate ? n / 2 : n - 1 - n / 2; };
  if (!correlate) std::reverse(weights.begin(), weights.end());
  return {taps, std::move(weights), before(taps.z), before(taps.y), before(taps.x)};
}

std::vector<filter_pass> passes_of(const filter_factors& factors, int dims, bool correlate) {
  std::vector<filter_pass> out;
  for (int axis = 2; axis >= 0; --axis) {  // rows first: their cells lie together
    const std::vector<double>& w = factors[static_cast<std::size_t>(axis)];
    if (w.size() == 1 && w[0] == 1 && !(axis == 0 && out.empty())) continue;
    int taps[] = {1, 1, 1};
    taps[axis] = static_cast<int>(w.size());
    extents n(taps[0], taps[1], taps[2]);
    n.dims = dims;
    out.push_back(pass_of(n, w, correlate));
  }
  return out;
}

/// The factors along the axes, given or found. found: by exact_factors().
std::optional<filter_factors> factors_of(const convolution_filter& filter, int element_bytes,
                                         bool& found) {
  found = !filter.factors();
  if (!found) return filter.factors();
  std::vector<double> rounded(filter.weights().begin(), filter.weights().end());
  if (element_bytes == 4)
    for (double& w : rounded) w = static_cast<float>(w);
  return exact_factors(filter.size(), rounded, element_bytes == 4 ? 24 : 53);
}

void decide_passes(const device_facts& where, const convolution_filter& filter,
                   const convolution_options& o, int element_bytes, convolution_plan& plan) {
  const std::vector<double> weights(filter.weights().begin(), filter.weights().end());
  plan.passes = {pass_of(filter.size(), weights, o.correlate)};
  plan.reason = fmt::format("one pass of {} taps", filter.size().cells());
  if (o.passes == filter_passes::one) return;
  bool found = false;
  const auto factors = factors_of(filter, element_bytes, found);
  if (!factors) {
    if (o.passes == filter_passes::each_axis)
      throw input_error(
          "filter: expected a product of filters along the axes, found one whose weights are no "
          "products without rounding");
    return;
  }
  auto apart = passes_of(*factors, filter.size().dims, o.correlate);
  double work = 0;
  for (const auto& p : apart) work += taps_worth(p.taps, where, element_bytes);
  if (o.passes == filter_passes::automatic &&
      work >= taps_worth(filter.size(), where, element_bytes))
    return;
  std::size_t taps = 0;
  for (const auto& p : apart) taps += p.taps.cells();
  plan.reason =
      fmt::format("{} of {} taps instead of {}{}",
                  apart.size() == 1 ? "1 pass" : fmt::format("{} passes", apart.size()), taps,
                  filter.size().cells(), found ? ", the weights being products" : "");
  plan.passes = std::move(apart);
}

/// What an output of a pass takes on a GPU.
model::output_work work_of(std::string_view name, const extents& taps, const cell_bytes& bytes) {
  const double m = taps.x, n = taps.y;
  model::output_work work;
  if (name == "systolic") {
    using kernels = systolic_convolution::on_cuda;
    const int piece = piece_bytes / bytes.sum, columns = warp_lanes * piece;
    const double rows = kernels::rows_of(kernels::instance_of(taps.y));
    work = model::systolic_work(
        m, n,
        {static_cast<double>(columns_of(columns, piece, taps.x, taps.x / 2).columns),
         static_cast<double>(columns), rows},
        piece);
  } else if (name == window_convolution::name) {
    work = model::window_work(m, n, window_convolution::rows);
  } else if (name == shared_convolution::name) {
    work = model::shared_work(m, n, shared_convolution::rows, warp_lanes);
  } else {  // every tap is two loads
    work = {m * n, 2 * m * n, 2};
  }
  work.multiply_adds *= taps.z;
  work.moves *= taps.z;
  work.elements_from_memory = static_cast<double>(bytes.in + bytes.out) / bytes.sum;
  return work;
}

void decide_algorithm(const device_facts& where, int row_cells, double cells,
                      const convolution_options& o, const cell_bytes& bytes,
                      convolution_plan& plan) {
  const auto algorithms = convolution_algorithms();
  if (o.algorithm != automatic) {
    const auto asked =
        std::find(algorithms.begin(), algorithms.end(), std::string_view(o.algorithm));
    if (asked == algorithms.end())
      throw input_error(fmt::format("algorithm: expected auto, {}, found {}",
                                    fmt::join(algorithms, ", "),
                                    found_word(o.algorithm, algorithms)));
    plan.algorithm = *asked;
    plan.reason += "; the algorithm as asked";
    return;
  }
  const std::size_t k = widest_pass(plan.passes);
  if (where.on == backend::cpu) {
    const std::int64_t row_bytes =
        std::int64_t{row_cells} * bytes_of_pass(bytes, k, plan.passes.size()).in;
    const bool copies = copies_pay(plan.passes[k].taps, row_bytes, first_level_cache());
    plan.algorithm = copies ? shared_convolution::name : window_convolution::name;
    plan.reason +=
        copies ? fmt::format("; copies of tiles, for rows {} bytes apart share sets of the cache",
                             row_bytes)
               : "; on a CPU a neighbour is a load, and sums need not move";
    return;
  }
  const auto time = [&](const char* algorithm) {
    return projected_time(algorithm, plan.passes[k].taps, cells, where,
                          bytes_of_pass(bytes, k, plan.passes.size()));
  };
  plan.algorithm =
      *std::min_element(algorithms.begin(), algorithms.end(),
                        [&](const char* a, const char* b) { return time(a) < time(b); });
  plan.reason += fmt::format("; projected {:.3g} us", time(plan.algorithm) * 1e6);
}

}  // namespace

bool copies_pay(const extents& taps, std::int64_t row_bytes, const cpu_cache& cache) {
  return taps.x >= columns_worth_a_copy &&
         rows_share_sets(row_bytes, window_convolution::rows + taps.y - 1, cache);
}

std::size_t widest_pass(const std::vector<filter_pass>& passes) {
  std::size_t widest = 0;
  for (std::size_t k = 1; k < passes.size(); ++k)
    if (passes[k].taps.cells() > passes[widest].taps.cells()) widest = k;
  return widest;
}

cell_bytes bytes_of_pass(const cell_bytes& all, std::size_t k, std::size_t passes) {
  return {k == 0 ? all.in : all.sum, all.sum, k + 1 == passes ? all.out : all.sum};
}

convolution_seconds projected_parts(std::string_view algorithm, const extents& taps, double cells,
                                    const device_facts& where, const cell_bytes& bytes) {
  const device_limits l = limits_of(where);
  const model::output_cycles output =
      model::cycles_of(work_of(algorithm, taps, bytes), rates_of(where, bytes.sum));
  const double chain =
      algorithm == "systolic" ? model::systolic_chain(taps.x) : model::window_chain(taps.x);
  const double each = cells / l.units;
  return {(each * output.all() + taps.z * chain) / l.clock + l.launch,
          each * output.memory / l.clock,
          each * output.multiply_adds / l.clock,
          each * output.moves / l.clock,
          taps.z * chain / l.clock,
          l.launch};
}

double projected_time(std::string_view algorithm, const extents& taps, double cells,
                      const device_facts& where, const cell_bytes& bytes) {
  return projected_parts(algorithm, taps, cells, where, bytes).all;
}

convolution_plan decide(std::span<const convolution_kernel> table, const device_facts& where,
                        const extents& size, std::int64_t images, const convolution_filter& filter,
                        const convolution_options& o, const cell_bytes& bytes) {
  convolution_plan plan = plan_convolution(where, size, images, filter, o, bytes);
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& k) {
    return k.on == where.on && k.algorithm == std::string_view(plan.algorithm);
  });
  if (found == table.end())
    throw unsupported_error("convolution: this build has no kernels for " + to_string(where.on));
  plan.kernel = &*found;
  return plan;
}

convolution_plan plan_convolution(const device_facts& where, const extents& size,
                                  std::int64_t images, const convolution_filter& filter,
                                  const convolution_options& o, const cell_bytes& bytes) {
  convolution_plan plan;
  decide_passes(where, filter, o, bytes.sum, plan);
  const double cells = static_cast<double>(size.cells()) * static_cast<double>(images);
  decide_algorithm(where, size.x, cells, o, bytes, plan);
  if (where.on == backend::cuda) {
    plan.threads = 0;
    return plan;
  }
  double taps = 0;
  for (const auto& p : plan.passes) taps += taps_worth(p.taps, where, bytes.sum);
  const thread_choice threads = threads_worth(2 * cells * bytes.sum * taps / free_taps_of_cpu,
                                              images * size.z * size.y, "convolution", where);
  plan.threads = threads.threads;
  plan.reason += "; " + threads.why;
  return plan;
}

}  // namespace dwell
