// SPDX-License-Identifier: MIT
// A launch for the operator, one for each level, and a look at what decides about the next one
// between two of them.
#include "dwell/solvers/grid/device/made_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/execution/device/buffer.hpp"

namespace dwell::grids {
namespace {

template <class T>
class grid_maker {
 public:
  grid_maker(const device& where, grid_kernel<T>& kernel, const undiscretized<T>& problem,
             const chosen_method& method, const deal_limits& limits)
      : where_(where),
        kernel_(kernel),
        problem_(problem),
        shape_(problem.system.a.shape),
        method_(method),
        limits_(limits),
        scratch_(where, limits.guarded),
        made_(where, limits.guarded) {
    require_gpu_unknowns(shape_.cells());
    words_ = buffer<words>(where, 1);
    a_.out = &words_.data()->said;
    a_.barrier = &words_.data()->barrier;
    a_.of_lanes = scratch_.room<double>(std::size_t(limits.teams) * std::size_t(limits.lanes));
    a_.of_rows = scratch_.room<axis_facts>(2 * shape_.rows());
  }

  made_grid<T> operator()() {
    take_rules();
    for (std::size_t axis = 0; axis < 3; ++axis)
      has_[axis == 2 ? rows_of_x : axis == 1 ? rows_of_y : rows_of_z] = a_.rules.is_there[axis];
    has_[rows_of_x] = true;
    has_[rows_of_s] = a_.rules.has_s();
    lay_out(a_.fine, shape_, made_.memory);
    const setup_outcome first = done(setup_task::conductances);
    if (first.bad) return std::move(made_);
    made_.good = true;
    std::frexp(first.largest, &made_.scale);
    a_.scale_of_a = made_.scale;
    begin_level(shape_);
    axis_facts facts = done(setup_task::first_level).facts;
    made_.a = operator_of(a_.fine, false);
    hierarchy<level_value>& h = made_.h;
    h.begin(method_, shape_, shape_, jumps(facts));
    const std::size_t bottom = bottom_cells_of(h.jumps, method_);
    while (true) {
      poll_interruption();
      const grid_shape g = add_level();
      if (g.cells() <= bottom) break;
      if (h.levels.size() == most_levels)
        throw unsupported_error(
            fmt::format("grid: expected at most {} levels on a GPU, found more", most_levels));
      const grid_shape next = add_step(g, halved_axes(facts));
      begin_level(next);
      facts = done(setup_task::next_level).facts;
    }
    h.bottom = profile_factor(bottom_rows(), problem_.system.singular);
    invert_bottom(h.bottom);
    return std::move(made_);
  }

 private:
  struct words {
    setup_outcome said;
    unsigned barrier = 0;
  };

  /// Runs a task, and gives what it says.
  setup_outcome done(setup_task task) {
    a_.task = task;
    const words none;
    words_.upload({&none, 1});
    kernel_.make(a_);
    words all;
    words_.download({&all, 1});
    return all.said;
  }
  void take_rules() {
    a_.rules = problem_.rules;
    const auto copied = [&](const T*& of, const T* there, std::size_t count) {
      if (there)
        of = there;
      else if (of)
        of = arrays_.emplace_back(buffer<T>::borrow(where_, {of, count})).data();
    };
    const std::size_t cells = shape_.cells();
    const auto& there = problem_.there;
    copied(a_.rules.k_cells, there.k_cells, cells);
    copied(a_.rules.s_cells, there.s_cells, cells);
    for (std::size_t m = 0; m < 3; ++m)
      copied(a_.rules.faces[m], there.faces[m],
             cells / std::size_t(shape_.n[m]) * std::size_t(shape_.n[m] + 1));
  }
  template <class V>
  void lay_out(made_operator<V>& to, const grid_shape& g, device_memory& memory) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to.n[axis] = g.n[axis];
      to.wraps[axis] = g.wraps[axis];
    }
    const long long elements = to.lay_out(has_);
    if (elements >> 32)
      throw unsupported_error("grid: the coefficients have more than 2^32 elements");
    to.pool = memory.room<V>(std::size_t(elements));
  }
  /// Memory of the level that is made next.
  void begin_level(const grid_shape& g) {
    made_level& l = a_.level;
    lay_out(l.a, g, made_.memory);
    const auto places = [&](int kind) {
      return made_.memory.template room<unsigned>(std::size_t(l.a.count(kind)));
    };
    l.places = {places(rows_of_x), places(rows_of_y), places(rows_of_z), places(rows_of_s)};
    l.inverse = made_.memory.template room<float>(g.cells());
    l.diagonal = made_.memory.template room<float>(g.cells());
    l.inverse_at = made_.memory.template room<unsigned>(g.rows());
  }
  template <class V>
  device_operator<V> operator_of(const made_operator<V>& from, bool alone) const {
    device_operator<V> to;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to.n[axis] = from.n[axis];
      to.wraps[axis] = from.wraps[axis];
    }
    to.flat = from.step[rows_of_y] == 0;
    to.pool = from.pool;
    to.x = a_.level.places.x, to.y = a_.level.places.y;
    to.z = a_.level.places.z, to.s = a_.level.places.s;
    to.deal = deal_of(from.rows(), from.n[2], limits_.teams, limits_.lanes, alone);
    to.columns = columns_of(to.n, limits_.teams, limits_.lanes);
    return to;
  }
  /// Takes the level that has been made.
  grid_shape add_level() {
    const made_level& from = a_.level;
    level<level_value>& l = made_.h.levels.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      l.a.shape.n[axis] = from.a.n[axis];
      l.a.shape.wraps[axis] = from.a.wraps[axis];
    }
    const grid_shape g = l.a.shape;
    made_operator<float> layout = from.a;
    l.a.elsewhere = std::size_t(layout.lay_out(has_));
    l.own = {0, g.n[0]};
    l.all = g;
    l.colours = colours_of(g);
    const bool alone = g.cells() <= limits_.alone_cells && !made_.levels.empty();
    device_level& to = made_.levels.emplace_back();
    to.a = operator_of(from.a, alone);
    to.u = made_.memory.template room<float>(g.cells());
    to.f = made_.memory.template room<float>(g.cells());
    to.colours = l.colours;
    to.inverse = from.inverse, to.diagonal = from.diagonal;
    to.inverse_at = from.inverse_at;
    return g;
  }
  /// The step to the next level, whose shape it gives.
  grid_shape add_step(const grid_shape& g, const std::array<bool, 3>& halved) {
    level<level_value>& l = made_.h.levels.back();
    l.step.axes = step_axes(g, halved);
    a_.from = a_.level.a;
    grid_shape now = g;
    int left = 0, done = 0;
    for (const halved_axis& axis : l.step.axes) left += axis.halved ? 1 : 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      const halved_axis& of = a_.axes[axis] = l.step.axes[axis];
      made_.levels.back().axes[axis] = of;
      if (!of.halved) continue;
      now.n[axis] = of.coarse();
      made_weights& w = a_.weights[axis];
      w.before = made_.memory.template room<float>(2 * now.cells());
      w.after = w.before + now.cells();
      w.before_at = made_.memory.template room<unsigned>(now.rows());
      w.after_at = made_.memory.template room<unsigned>(now.rows());
      made_.levels.back().weights[axis] = {w.before, w.before_at, w.after_at};
      if (--left > 0) lay_out(a_.between[done++], now, scratch_);
    }
    made_.h.most_plane = std::max(made_.h.most_plane, now.n[1] * now.n[2]);
    return now;
  }
  void invert_bottom(const profile_factor& factor) {
    made_factor& f = a_.factor;
    const std::size_t n = factor.size();
    f.n = int(n);
    f.place = scratch_.places(factor.places());
    f.first = scratch_.places(factor.first_columns());
    f.start = scratch_.places(factor.row_starts());
    f.l = scratch_.copy(factor.elements());
    scratch_.flush();
    f.work = scratch_.room<double>(n * n);
    made_.bottom_inverse = f.inverse = made_.memory.template room<double>(n * n);
    done(setup_task::bottom);
  }
  /// The last level's operator, on the host.
  coefficients<level_value> bottom_rows() const {
    const made_operator<float>& from = a_.level.a;
    coefficients<level_value> to;
    to.shape = made_.h.levels.back().a.shape;
    to.pool.resize(made_.h.levels.back().a.elsewhere);
    memory_of(where_.on())
        .download(where_, to.pool.data(), from.pool, to.pool.size() * sizeof(float));
    std::vector<std::size_t>* const places[] = {&to.x, &to.y, &to.z, &to.s};
    for (int kind = 0; kind < 4; ++kind)
      for (int number = 0; number < from.count(kind); ++number)
        places[kind]->push_back(std::size_t(from.place(kind, number)));
    join_rows(to);
    return to;
  }

  const device& where_;
  grid_kernel<T>& kernel_;
  const undiscretized<T>& problem_;
  const grid_shape shape_;
  const chosen_method& method_;
  const deal_limits& limits_;
  device_memory scratch_;
  made_grid<T> made_;
  std::vector<buffer<T>> arrays_;
  buffer<words> words_;
  grid_setup_args<T> a_;
  bool has_[4] = {};
};

}  // namespace

bool can_be_made(const chosen_method& method) {
  return method.has_levels() && method.smoother == grid_smoother::points &&
         method.coarse != coarse_operators::galerkin;
}

template <class T>
made_grid<T> make_grid(const device& where, grid_kernel<T>& kernel, const undiscretized<T>& problem,
                       const chosen_method& method, const deal_limits& limits) {
  return grid_maker<T>(where, kernel, problem, method, limits)();
}

template made_grid<double> make_grid(const device&, grid_kernel<double>&,
                                     const undiscretized<double>&, const chosen_method&,
                                     const deal_limits&);
template made_grid<float> make_grid(const device&, grid_kernel<float>&, const undiscretized<float>&,
                                    const chosen_method&, const deal_limits&);

}  // namespace dwell::grids
