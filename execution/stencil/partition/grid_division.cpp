// SPDX-License-Identifier: MIT
// Divisions are found by trying every factorization of the number of ranks.
#include "dwell/execution/stencil/partition/grid_division.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace dwell::model {
namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// Every way to write n as a product of three numbers, of which the last 3 - `axes` are 1; those
/// with large numbers first come first.
void for_each_factorization(std::int64_t n, int axes,
                            const std::function<void(const axis_counts&)>& take) {
  for (std::int64_t a = n; a >= 1; --a) {
    if (n % a != 0 || (axes < 2 && a != n)) continue;
    for (std::int64_t b = n / a; b >= 1; --b) {
      if (n / a % b != 0 || (axes < 3 && b != n / a)) continue;
      take({a, b, n / a / b});
    }
  }
}

/// The axes that may be cut, as the first ones: a grid in two dimensions has no z.
axis_counts in_order(const grid_cells& cells, axis_counts parts) {
  return cells.of[0] == 1 ? axis_counts{parts[2], parts[0], parts[1]} : parts;
}

grid_cells own_of(const division_request& q, const axis_counts& parts) {
  grid_cells own = q.cells;
  if (!q.of_each_rank)
    for (std::size_t a = 0; a < 3; ++a) own.of[a] = (q.cells.of[a] + parts[a] - 1) / parts[a];
  return own;
}

grid_cells least_of(const division_request& q, const axis_counts& parts) {
  grid_cells least = q.cells;
  if (!q.of_each_rank)
    for (std::size_t a = 0; a < 3; ++a) least.of[a] /= parts[a];
  return least;
}

/// Has the smallest rank enough along each axis that is cut?
bool has_layers(const division_request& q, const axis_counts& parts) {
  const grid_cells least = least_of(q, parts);
  for (std::size_t a = 0; a < 3; ++a)
    if (parts[a] > 1 && least.of[a] < q.layers) return false;
  return true;
}

axis_counts host_part(const division_request& q, const grid_cells& own, const axis_counts& parts) {
  if (q.ranks <= q.ranks_of_host) return parts;
  axis_counts best{1, 1, 1};
  std::optional<std::tuple<double, std::int64_t>> least;
  for_each_factorization(q.ranks_of_host, 3, [&](const axis_counts& h) {
    for (std::size_t a = 0; a < 3; ++a)
      if (parts[a] % h[a] != 0) return;
    const grid_division d{parts, h};
    const std::tuple cost(halo_of(own, d, q.layers, false).cells_off_host, h[0] + h[1] + h[2]);
    if (!least || cost < *least) least = cost, best = h;
  });
  return best;
}

}  // namespace

int grid_division::sides_off_host(int axis) const {
  if (parts[at(axis)] == on_host[at(axis)]) return 0;
  return on_host[at(axis)] == 1 ? sides(axis) : 1;
}

std::optional<grid_division> divide(const division_request& q) {
  const int axes = std::min(q.cut_axes, q.cells.dims());
  std::optional<axis_counts> best;
  std::tuple<double, double> least;
  for_each_factorization(q.ranks, axes, [&](const axis_counts& factors) {
    const axis_counts parts = in_order(q.cells, factors);
    if (!has_layers(q, parts)) return;
    const double sent = halo_of(own_of(q, parts), {parts, parts}, q.layers, false).cells;
    const auto sum = static_cast<double>(parts[0] + parts[1] + parts[2]);
    const std::tuple<double, double> cost =
        q.of_each_rank ? std::tuple(sum, sent) : std::tuple(sent, sum);
    if (!best || cost < least) least = cost, best = parts;
  });
  if (!best) return std::nullopt;
  return grid_division{*best, host_part(q, own_of(q, *best), *best)};
}

grid_cells own_cells(const division_request& request, const grid_division& division) {
  return own_of(request, division.parts);
}

grid_cells least_cells(const division_request& request, const grid_division& division) {
  return least_of(request, division.parts);
}

halo_messages halo_of(const grid_cells& own, const grid_division& division, std::int64_t layers,
                      bool corners) {
  halo_messages out;
  axis_counts wide = own.of;
  for (int axis = 0; axis < 3; ++axis) {
    const int sides = division.sides(axis), off = division.sides_off_host(axis);
    if (sides == 0) continue;
    double face = static_cast<double>(layers);
    for (std::size_t a = 0; a < 3; ++a)
      if (a != at(axis)) face *= static_cast<double>(wide[a]);
    out.messages += sides, out.off_host += off;
    out.cells += sides * face, out.cells_off_host += off * face;
    out.largest = std::max(out.largest, face);
    out.rounds = corners ? out.rounds + 1 : 1;
    if (corners) wide[at(axis)] += sides * layers;
  }
  return out;
}

double cells_with_ghosts(const grid_cells& own, const grid_division& division,
                         std::int64_t layers) {
  double cells = 1;
  for (int axis = 0; axis < 3; ++axis)
    cells *= static_cast<double>(own.of[at(axis)] + division.sides(axis) * layers);
  return cells;
}

double interior_part(const grid_cells& own, const grid_division& division, std::int64_t layers) {
  double part = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto n = static_cast<double>(own.of[at(axis)]);
    part *= std::max(0.0, n - static_cast<double>(division.sides(axis) * layers)) / n;
  }
  return part;
}

int steps_that_add_a_tenth(const grid_cells& least, const grid_division& division, int radius,
                           int most) {
  double added = 0;  // by one step
  for (std::size_t a = 0; a < 3; ++a)
    if (division.parts[a] > 1) added += 2.0 * radius / static_cast<double>(least.of[a]);
  if (added == 0) return most;
  return static_cast<int>(std::clamp(0.1 / added + 1e-9, 1.0, static_cast<double>(most)));
}

std::optional<stencil_division_plan> plan_division(division_request request, int radius,
                                                   int most_steps) {
  constexpr double sent = 16;
  request.layers = radius;
  std::optional<stencil_division_plan> best;
  double least = 0;
  for (int axes = 1, most_axes = request.cut_axes; axes <= most_axes; ++axes) {
    request.cut_axes = axes;
    const auto division = divide(request);
    if (!division) continue;
    const int steps =
        steps_that_add_a_tenth(least_cells(request, *division), *division, radius, most_steps);
    const grid_cells own = own_cells(request, *division);
    const std::int64_t layers = std::int64_t{steps} * radius;
    const double cost = (cells_with_ghosts(own, *division, layers) +
                         sent * halo_of(own, *division, layers, true).cells / steps) /
                        static_cast<double>(own.total());
    if (!best || cost < 0.9 * least) best = {*division, steps}, least = cost;
  }
  return best;
}

}  // namespace dwell::model
