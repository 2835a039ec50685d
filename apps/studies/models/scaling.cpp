// SPDX-License-Identifier: MIT
// One rank makes no messages and packs nothing.
#include "studies/models/scaling.hpp"

#include <algorithm>

namespace dwell::model {
namespace {

/// Parts of one iteration, before anything is hidden.
struct waits_and_work {
  double interior = 0;  ///< seconds of compute that need no ghosts
  double product = 0;   ///< seconds of the product with the matrix
  bool can_hide_sums = false;
};

/// What goes on at once takes as long as the longer of the two. Sums are under way with the
/// exchange; a product hides what of them is left.
void hide(iteration_time& t, const waits_and_work& w, overlap hides) {
  const double exchange = t.exchange, reduction = t.reduction;
  if (hides != overlap::none) t.exchange = std::max(0.0, exchange - w.interior);
  if (hides == overlap::all && w.can_hide_sums)
    t.reduction = std::max(0.0, reduction - w.product - t.exchange);
  t.hidden = exchange - t.exchange + reduction - t.reduction;
}

sum_time sum_of(int ranks, double bytes, const scaling_setting& on) {
  if (on.sums == rank_sums::ring) return gather_by_ring(ranks, bytes, on.links);
  if (on.sums == rank_sums::library) return all_reduce_by_library(ranks, bytes, on.links);
  return gather_by_groups(ranks, bytes, on.links);
}

/// The division and the messages of a rank; `layers` of ghosts.
std::optional<scaling_point> divided(division_request& where, std::int64_t layers, bool corners,
                                     const scaling_setting& on) {
  where.layers = layers;
  where.ranks_of_host = on.links.ranks_of_host;
  const auto division = divide(where);
  if (!division) return std::nullopt;
  scaling_point p;
  p.division = *division;
  p.own = own_cells(where, p.division);
  p.halo = halo_of(p.own, p.division, layers, corners);
  return p;
}

}  // namespace

double gpu_rates::seconds(double bytes, double footprint) const {
  const double hit =
      footprint <= l2_cached ? 1.0 : std::max(0.0, 2.0 * l2_cached / footprint - 1.0);
  return bytes * (hit / l2 + (1.0 - hit) / memory);
}

scaling_part iteration_time::binds() const {
  const double most = std::max({compute, exchange, reduction, latency});
  return compute == most     ? scaling_part::compute
         : exchange == most  ? scaling_part::exchange
         : reduction == most ? scaling_part::reduction
                             : scaling_part::latency;
}

std::optional<scaling_point> scale(const stencil_scaling& s, division_request where,
                                   const scaling_setting& on) {
  const int steps = s.steps_per_exchange;
  const std::int64_t layers = std::int64_t{steps} * s.radius;
  auto found = divided(where, layers, !s.star || steps > 1, on);
  if (!found) return std::nullopt;
  scaling_point& p = *found;
  // One rank has no exchange that ends its passes early.
  const double passes = where.ranks == 1
                            ? static_cast<double>(steps) / s.pass_steps
                            : static_cast<double>((steps + s.pass_steps - 1) / s.pass_steps);
  const double cells = cells_with_ghosts(p.own, p.division, layers);
  const double bytes = 2 * cells * s.cell_bytes;  // read and written by a pass
  const double step = on.one_gpu.seconds_per_cell(on.gpu.launch / s.pass_steps);
  const double pass =
      on.one_gpu.seconds > 0 ? cells * s.pass_steps * step : on.gpu.seconds(bytes, bytes);
  p.memory_bytes = bytes;
  p.exchanges = where.ranks > 1 ? 1.0 / steps : 0;
  p.halo_bytes = p.halo.cells * s.cell_bytes;
  iteration_time& t = p.time;
  t.compute = passes * pass / steps;
  t.latency = passes * on.gpu.launch / steps;
  t.exchange = exchange_seconds(p.halo, s.cell_bytes, on.links) / steps;
  hide(t, {t.compute * interior_part(p.own, p.division, layers), 0, false}, on.hides);
  return found;
}

std::optional<scaling_point> scale(const cg_scaling& s, division_request where,
                                   const scaling_setting& on) {
  auto found = divided(where, 1, !s.star, on);
  if (!found) return std::nullopt;
  scaling_point& p = *found;
  const cg_variant& variant = s.variant;
  const auto rows = static_cast<double>(p.own.total());
  const double matrix = rows * s.nonzeros_per_row * (s.value_bytes + s.column_bytes);
  const double product = matrix + rows * variant.values * s.value_bytes;
  const double bytes = product + rows * variant.accesses * s.value_bytes;
  p.memory_bytes = matrix + rows * variant.vectors * s.value_bytes;
  p.halo_bytes = p.halo.cells * s.value_bytes * variant.values;
  p.exchanges = where.ranks > 1 ? 1 : 0;
  p.reductions = where.ranks > 1 ? variant.sums : 0;
  p.sum = sum_of(where.ranks, s.sum_bytes, on);
  iteration_time& t = p.time;
  const double waits = variant.phases * (on.gpu.launch + on.gpu.phase) + on.gpu.product;
  t.compute = on.one_gpu.seconds > 0 ? rows * on.one_gpu.seconds_per_cell(waits)
                                     : on.gpu.seconds(bytes, p.memory_bytes);
  t.latency = waits;
  // Behind each phase of a rank with others a kernel packs elements and adds partial sums.
  if (where.ranks > 1) t.latency += variant.phases * on.gpu.launch;
  t.exchange = exchange_seconds(p.halo, s.value_bytes * variant.values, on.links);
  t.reduction = variant.sums * p.sum.seconds;
  const double of_product = t.compute * product / bytes;
  hide(t, {of_product * interior_part(p.own, p.division, 1), of_product, variant.can_hide_sums},
       on.hides);
  return found;
}

}  // namespace dwell::model
