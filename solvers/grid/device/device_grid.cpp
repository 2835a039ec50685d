// SPDX-License-Identifier: MIT
// Levels as pointers, steps of cycles, the bottom's inverse.
#include "dwell/solvers/grid/device/device_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::grids {
namespace {

/// Steps in the order of cycle.hpp.
class step_list {
 public:
  step_list(const hierarchy<level_value>& h, bool twice, const deal_limits& limits)
      : h_(h), twice_(twice), limits_(limits) {}

  std::vector<cycle_step> of_cycle() {
    if (h_.levels.size() == 1) {
      bottom();
    } else {
      const bool three = h_.levels[0].colours == 3;
      relax_all(0, three ? 0 : 1);
      below(0);
      up(0);
    }
    return std::move(list_);
  }

 private:
  const grid_shape& shape(std::size_t n) const { return h_.levels[n].a.shape; }
  bool is_alone(std::size_t n) const { return shape(n).cells() <= limits_.alone_cells; }
  void add(cycle_op op, std::size_t n, bool alone, int colour = 0) {
    list_.push_back({op, static_cast<int>(n), colour, alone});
  }
  void relax_all(std::size_t n, int from) {
    for (int c = from; c < h_.levels[n].colours; ++c) add(cycle_op::relax, n, is_alone(n), c);
  }
  void bottom() {
    const std::size_t n = h_.levels.size() - 1;
    const bool alone = n > 0 && is_alone(n - 1) &&
                       shape(n).cells() <= static_cast<std::size_t>(limits_.alone_bottom);
    add(cycle_op::bottom, n, alone);
  }
  void below(std::size_t n) {
    add(cycle_op::residual, n, is_alone(n));
    add(cycle_op::gather, n, is_alone(n));
    if (n + 2 == h_.levels.size()) return bottom();
    const bool three = h_.levels[n + 1].colours == 3;
    relax_all(n + 1, three ? 0 : 1);
    below(n + 1);
    up(n + 1);
    if (!twice_ || !visited_again(shape(n + 1), shape(0))) return;
    relax_all(n + 1, 1);
    below(n + 1);
    up(n + 1);
  }
  void up(std::size_t n) {
    add(cycle_op::prolong, n, is_alone(n));
    for (int c = h_.levels[n].colours; c-- > 0;) add(cycle_op::relax, n, is_alone(n), c);
  }

  const hierarchy<level_value>& h_;
  bool twice_;
  const deal_limits& limits_;
  std::vector<cycle_step> list_;
};

/// The inverse of the bottom's operator, in halved rows, by its factor.
std::vector<double> inverse_of(const profile_factor& factor, std::size_t n) {
  std::vector<double> inverse(n * n);
  const int parts = static_cast<int>(std::min<std::size_t>(n / 128 + 1, 8));
  for_parts(parts, [&](int part) {
    profile_factor own = factor;  // its solves have memory of their own
    std::vector<double> unit(n, 0.0);
    const auto [begin, end] = piece(static_cast<int>(n), part, parts);
    for (int c = begin; c < end; ++c) {
      unit[static_cast<std::size_t>(c)] = 1;
      own.solve(unit.data(), inverse.data() + static_cast<std::size_t>(c) * n);
      unit[static_cast<std::size_t>(c)] = 0;
    }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double &a = inverse[i * n + j], &b = inverse[j * n + i];
      a = b = 0.5 * (a + b);
    }
  return inverse;
}

}  // namespace

std::vector<cycle_step> cycle_steps(const hierarchy<level_value>& h, bool twice,
                                    const deal_limits& limits) {
  return step_list(h, twice, limits).of_cycle();
}

row_deal deal_of(int rows, int n, int teams, int lanes, bool alone) {
  const auto evens = static_cast<unsigned>(evens_of(n));
  row_deal d;
  d.lane_bits = std::min(5, static_cast<int>(std::bit_width(evens - 1)));
  const unsigned along = 1u << d.lane_bits;
  const std::int64_t groups = std::int64_t{alone ? 1 : teams} * (lanes >> d.lane_bits);
  // Makes as many pieces of rows as there are groups of lanes, about, and none of fewer cells than
  // lanes.
  const auto most = static_cast<std::int64_t>((evens + along - 1) / along);
  const std::int64_t wanted = std::clamp<std::int64_t>(groups / std::max(rows, 1), 1, most);
  d.piece_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(wanted))) - 1;
  const unsigned pieces = 1u << d.piece_bits;
  const unsigned cells = (evens + pieces - 1) / pieces;
  d.piece = static_cast<int>((cells + along - 1) / along * along);
  const int units = rows << d.piece_bits;
  d.each = units / teams;
  d.rest = units % teams;
  return d;
}

template <class T>
template <class V>
const V* device_grid<T>::values(const std::vector<V>& of) {
  bytes_ += of.size() * sizeof(V);
  if constexpr (std::is_same_v<V, T>)
    return values_.emplace_back(buffer<T>::copy_of(where_, of)).data();
  else
    return floats_.emplace_back(buffer<float>::copy_of(where_, of)).data();
}
template <class T>
const unsigned* device_grid<T>::places(const std::vector<std::size_t>& of) {
  std::vector<unsigned> narrow(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i] > 0xffffffffu)
      throw unsupported_error("grid: the coefficients have more than 2^32 elements");
    narrow[i] = static_cast<unsigned>(of[i]);
  }
  bytes_ += narrow.size() * sizeof(unsigned);
  return places_.emplace_back(buffer<unsigned>::copy_of(where_, narrow)).data();
}
template <class T>
float* device_grid<T>::room(std::size_t n) {
  bytes_ += n * sizeof(float);
  return floats_.emplace_back(where_, n).data();
}

template <class T>
template <class V>
device_operator<V> device_grid<T>::operator_of(const coefficients<V>& a, bool alone) {
  device_operator<V> to;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.n[axis] = a.shape.n[axis];
    to.wraps[axis] = a.shape.wraps[axis];
  }
  to.flat = std::ranges::all_of(a.y, [](std::size_t place) { return place == 0; });
  to.pool = values(a.pool);
  to.x = places(a.x), to.y = places(a.y), to.z = places(a.z), to.s = places(a.s);
  to.deal =
      deal_of(static_cast<int>(a.shape.rows()), a.shape.n[2], limits_.teams, limits_.lanes, alone);
  return to;
}

template <class T>
device_grid<T>::device_grid(const device& where, const prepared_grid<T>& grid,
                            const chosen_method& method, const deal_limits& limits)
    : where_(where),
      limits_(limits),
      alone_(method.method == grid_method::multigrid),
      singular_(grid.system.singular),
      scale_of_a_(grid.scale) {
  const coefficients<T>& a = grid.system.a;
  const std::size_t cells = a.shape.cells();
  if (cells >> 31)
    throw unsupported_error(
        fmt::format("grid: expected fewer than 2^31 unknowns on a GPU, found {}", cells));
  const hierarchy<level_value>& h = *grid.levels.own;
  if (h.levels.size() > most_levels)
    throw unsupported_error(fmt::format("grid: expected at most {} levels on a GPU, found {}",
                                        most_levels, h.levels.size()));
  std::vector<device_level> levels;
  for (const level<level_value>& from : h.levels) {
    device_level& to = levels.emplace_back();
    const std::size_t n = from.a.shape.cells();
    const bool alone = n <= limits.alone_cells && &from != &h.levels[0];
    to.a = operator_of(from.a, alone);
    to.u = room(n);
    to.f = room(n);
    to.colours = from.colours;
    if (&from == &h.levels.back()) continue;
    to.inverse = values(from.inverse);
    std::vector<float> diagonal(from.inverse.size());
    std::ranges::transform(from.inverse, diagonal.begin(), [](float v) { return 1 / v; });
    to.diagonal = values(diagonal);
    to.inverse_at = places(from.inverse_at);
    const axis_weights<level_value>* const weights[] = {&from.step.z, &from.step.y, &from.step.x};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to.axes[axis] = from.step.axes[axis];
      if (!to.axes[axis].halved) continue;
      to.weights[axis] = {values(weights[axis]->pool), places(weights[axis]->before),
                          places(weights[axis]->after)};
    }
  }
  levels_ = buffer<device_level>::copy_of(where_, levels);
  const std::size_t n = h.levels.back().a.shape.cells();
  inverse_ = buffer<double>::copy_of(where_, inverse_of(h.bottom, n));
  bytes_ += n * n * sizeof(double);
  for (const bool twice : {false, true}) {
    if (twice && !h.twice) continue;
    std::vector<cycle_step> steps = cycle_steps(h, twice, limits);
    // The finest level's last relaxation goes with a sum, if there are two colours.
    args_.last_relaxed_here = h.levels.size() > 1 && h.levels[0].colours == 2;
    if (args_.last_relaxed_here) steps.pop_back();
    steps_[twice] = buffer<cycle_step>::copy_of(where_, steps);
    step_count_[twice] = static_cast<int>(steps.size());
  }

  grid_solve_args<T>& to = args_;
  to.a = operator_of(a, false);
  to.levels = levels_.data();
  to.level_count = static_cast<int>(levels.size());
  to.bottom_inverse = inverse_.data();
  to.residual = room(cells);
  const auto row = static_cast<std::size_t>(a.shape.n[2] + 2);
  to.zeros = room(row);
  to.ones = values(std::vector<float>(row, 1.0f));
  for (std::size_t axis = 0; axis < 3; ++axis) to.volume[axis] = values(grid.system.volume[axis]);
  for (const side_term<T>& side : grid.system.sides)
    to.sides[to.side_count++] = {side.axis, side.high, values(side.of_cell)};
  const auto vector = [&] {
    bytes_ += cells * sizeof(T);
    return values_.emplace_back(where_, cells).data();
  };
  to.b = vector(), to.x[0] = vector(), to.x[1] = vector();
  to.r = vector(), to.p = vector(), to.q = vector();
  to.scale_of_a = scale_of_a_;
  to.alone = alone_;
  to.singular = singular_;
  barrier_ = buffer<unsigned>(where_, 1);
  partials_ = buffer<double>(
      where_, static_cast<std::size_t>(grid_solve_args<T>::most_sums * limits.teams));
  seen_ = buffer<monitor>(where_, 1);
  out_ = buffer<device_outcome>(where_, 1);
  to.barrier = barrier_.data();
  to.partials = partials_.data();
  to.seen = seen_.data();
  to.out = out_.data();
}

template <class T>
device_outcome device_grid<T>::solve(grid_kernel<T>& kernel, const grid_request<T>& request,
                                     const run_control& control, std::vector<double>& history) {
  grid_solve_args<T> a = args_;
  a.steps = steps_[request.twice].data();
  a.step_count = step_count_[request.twice];
  a.f = request.f;
  a.u = request.u;
  if (request.algebraic) {
    std::fill(std::begin(a.volume), std::end(a.volume), nullptr);
    a.side_count = 0;
  }
  a.rtol = request.rtol;
  a.atol = request.atol;
  a.max_iterations = request.max_iterations;
  const auto norms = static_cast<std::size_t>(request.max_iterations) + 1;
  if (request.history) {
    if (history_.size() < norms) history_ = buffer<double>(where_, norms);
    a.history = history_.data();
  }
  const unsigned nobody = 0;
  monitor fresh;
  fresh.step = -1;
  if (control.interrupt && control.interrupt->load()) fresh.interrupt = 1;
  const device_outcome none;
  barrier_.upload({&nobody, 1});
  seen_.upload({&fresh, 1});
  out_.upload({&none, 1});
  kernel.run(a, control);
  device_outcome out;
  out_.download({&out, 1});
  if (request.history && out.history > 0) {
    history.resize(static_cast<std::size_t>(out.history));
    history_.download(history);
  }
  return out;
}

template class device_grid<double>;
template class device_grid<float>;

}  // namespace dwell::grids
