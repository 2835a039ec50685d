// SPDX-License-Identifier: MIT
// Levels of a slab, and the gathering of the rows of an operator.
#include "dwell/solvers/grid/ranks/divided_levels.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dwell/base/interruption.hpp"

namespace dwell::grids {
namespace {

using rows_of_levels = coefficients<level_value>;

axis_facts facts_of_all(const divided_grid& grid, const rows_of_levels& a, plane_range own) {
  const bool first = grid.division.own(grid.comm->rank()).begin == 0;
  axis_facts all;
  for (const axis_facts& one : values_of_ranks(*grid.comm, facts_of_axes(a, own, first)))
    all.add(one);
  return all;
}

/// Planes of a slab where all is right: rows, and faces before and after.
struct valid_planes {
  plane_range at;
  bool cut_low, cut_high;

  /// After a step along these axes: a row's weights along x and y are read across faces, and along
  /// z a coarse cell reads those between it and its neighbours, with both of their faces.
  void halve(const level_step<level_value>& step) {
    for (const int axis : {x_axis, y_axis})
      if (step.axes[std::size_t(axis)].halved) at.begin += cut_low, at.end -= cut_high;
    const halved_axis& z = step.axes[z_axis];
    if (!z.halved) return;
    at.begin = cut_low ? (at.begin + 1) / 2 : 0;
    at.end = cut_high ? (at.end - 1) / 2 : z.coarse();
  }
  bool have(plane_range own) const { return at.begin <= own.begin && own.end <= at.end; }
};

/// The rows of the whole operator on rank 0, plane after plane in one pool; empty elsewhere.
rows_of_levels gathered_rows(const divided_grid& grid, const level<level_value>& l, int halvings) {
  const rows_of_levels& a = l.a;
  const auto ny = std::size_t(a.shape.n[1]), nx = std::size_t(a.shape.n[2]);
  const std::size_t at = a.row(l.own.begin, 0);
  const bool has_s = a.s[at] != 0, has_y = a.y[a.face_y(l.own.begin, 0)] != 0, has_z = a.z[at] != 0;
  const std::size_t of_x = ny * (nx + 1), of_s = has_s ? ny * nx : 0,
                    of_y = has_y ? (ny + 1) * nx : 0, of_z = has_z ? ny * nx : 0;
  const std::size_t plane = of_x + of_s + of_y + of_z;
  communicator& comm = *grid.comm;
  const auto planes_before = [&](int rank) {
    return std::size_t(grid.division.own(rank).begin >> halvings);
  };
  const int last = comm.size() - 1;
  // This rank's rows; of the last one with the faces behind.
  std::vector<level_value> mine;
  rows_of_levels all;
  std::vector<rank_message> out, in;
  together(comm, [&] {
    mine.reserve(std::size_t(l.own.size()) * plane + of_z);
    const auto put = [&](std::size_t place, std::size_t n) {
      mine.insert(mine.end(), a.pool.begin() + std::ptrdiff_t(place),
                  a.pool.begin() + std::ptrdiff_t(place + n));
    };
    for (int k = l.own.begin; k < l.own.end; ++k) {
      for (int j = 0; j < int(ny); ++j) put(a.x[a.row(k, j)], nx + 1);
      for (int j = 0; has_s && j < int(ny); ++j) put(a.s[a.row(k, j)], nx);
      for (int j = 0; has_y && j <= int(ny); ++j) put(a.y[a.face_y(k, j)], nx);
      for (int j = 0; has_z && j < int(ny); ++j) put(a.z[a.row(k, j)], nx);
    }
    if (comm.rank() == last)
      for (int j = 0; has_z && j < int(ny); ++j) put(a.z[a.row(l.own.end, j)], nx);
    out.push_back({0, mine.data(), mine.size() * sizeof(level_value)});
    if (comm.rank() != 0) return;
    all.shape = l.all;
    const auto planes = std::size_t(l.all.n[0]);
    all.pool.assign((nx + 1) + planes * plane + of_z, level_value(0));
    for (std::size_t k = 0; k < planes; ++k) {
      std::size_t place = (nx + 1) + k * plane;
      const auto rows = [&](std::vector<std::size_t>& to, bool there, std::size_t count,
                            std::size_t length) {
        for (std::size_t j = 0; j < count; ++j) {
          to.push_back(there ? place : 0);
          if (there) place += length;
        }
      };
      rows(all.x, true, ny, nx + 1);
      rows(all.s, has_s, ny, nx);
      rows(all.y, has_y, ny + 1, nx);
      rows(all.z, has_z, ny, nx);
    }
    for (std::size_t j = 0; j < ny; ++j)
      all.z.push_back(has_z ? (nx + 1) + planes * plane + j * nx : 0);
    for (int r = 0; r <= last; ++r) {
      const std::size_t first = planes_before(r);
      const std::size_t end = r == last ? planes : planes_before(r + 1);
      in.push_back({r, all.pool.data() + (nx + 1) + first * plane,
                    ((end - first) * plane + (r == last ? of_z : 0)) * sizeof(level_value)});
    }
  });
  const auto messages = comm.messages(std::move(out), std::move(in));
  messages->start();
  messages->finish();
  return all;
}

}  // namespace

divided_levels make_divided_levels(const divided_grid& grid, coefficients<level_value> fine,
                                   const coefficients<level_value>& whole, bool singular,
                                   const chosen_method& method, exchange_cost& cost) {
  divided_levels made;
  communicator& comm = *grid.comm;
  const int ranks = comm.size();
  if (ranks == 1) {
    *made.own = make_hierarchy(std::move(fine), singular, method);
    return made;
  }
  const slab here = grid.here();
  const bool shared = fine.shared;
  axis_facts facts = facts_of_all(grid, fine, here.own);
  const bool jumps = !shared && grids::jumps(facts);
  hierarchy<level_value>& h = *made.own;
  h.begin(method, fine.shape, grid.all, jumps);
  const std::size_t bottom = bottom_cells_of(h.jumps, method);
  valid_planes valid{
      {here.cut_low ? 1 : 0, here.planes - (here.cut_high ? 1 : 0)}, here.cut_low, here.cut_high};
  std::vector<std::array<bool, 3>> steps;  // from level to level
  int halvings = 0;                        // how often planes were halved
  coefficients<level_value> now = std::move(fine);
  plane_range own = here.own;
  grid_shape all = grid.all;
  while (true) {
    h.levels.emplace_back();
    level<level_value>& l = h.levels.back();
    l.a = std::move(now);
    l.own = own;
    l.all = all;
    const std::array<bool, 3> halved = halved_axes(facts);
    bool divided =
        method.has_levels() && method.coarse != coarse_operators::galerkin &&
        halvings < grid.division.halvings && all.cells() > bottom &&
        (steps.empty() ? all.cells() >= grid.gather_below
                       : !gathers(all.cells(), grid.all.cells(), ranks, grid.gather_below));
    valid_planes next = valid;
    level_step<level_value> step;
    for (std::size_t axis = 0; axis < 3; ++axis)
      step.axes[axis] = {l.a.shape.n[axis], l.a.shape.wraps[axis],
                         l.a.shape.n[axis] > 1 && halved[axis]};
    next.halve(step);
    const bool halves_planes = step.axes[z_axis].halved;
    const plane_range below = halves_planes ? plane_range{own.begin / 2, own.end / 2} : own;
    divided = all_of_ranks(comm, divided && next.have(below));
    if (!divided) break;
    together(comm, [&] {
      poll_interruption();
      begin_level(l, method);
      now = halve_level(l, halved);
    });
    h.most_plane = std::max(h.most_plane, l.step.axes[1].coarse() * l.step.axes[2].coarse());
    steps.push_back(halved);
    for (std::size_t axis = 0; axis < 3; ++axis)
      all.n[axis] = halved_axis{all.n[axis], all.wraps[axis], l.step.axes[axis].halved}.coarse();
    halvings += halves_planes;
    own = below;
    valid = next;
    facts = facts_of_all(grid, now, own);
  }
  level<level_value>& last = h.levels.back();
  if (method.has_levels()) {
    rows_of_levels top;
    if (!shared) top = gathered_rows(grid, last, halvings);
    together(comm, [&] {
      if (comm.rank() != 0) return;
      if (shared) {
        top = whole;
        for (const std::array<bool, 3>& halved : steps)
          for (const int axis : {x_axis, y_axis, z_axis})
            if (halved[std::size_t(axis)] && top.shape.n[std::size_t(axis)] > 1)
              top = coarsened(top, axis).first;
      }
      made.whole = std::make_unique<hierarchy<level_value>>(
          make_hierarchy(std::move(top), singular, method, grid.all, jumps));
    });
  }
  together(comm, [&] {
    if (steps.empty()) {  // its diagonals are of use
      begin_level(last, method);
      finish_level(last);
    } else {
      last.u.assign(last.a.shape.cells(), level_value(0));
      last.f = last.u;
      last.a.pool = {};
    }
  });
  if (method.has_levels())
    made.ghosts =
        std::make_unique<level_ghosts<level_value>>(comm, grid.division, h, made.whole.get(), cost);
  return made;
}

}  // namespace dwell::grids
