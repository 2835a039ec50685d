// SPDX-License-Identifier: MIT
// Copies of planes of others, and sides of a slab: where it is cut nothing flows.
#include "dwell/solvers/grid/ranks/slab_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/field_values.hpp"

namespace dwell::grids {
namespace {

/// The elements of a plane of the arrays that belong to an axis (-1: to cells).
std::size_t plane_of_array(const std::vector<int>& cells, int axis) {
  std::size_t all = 1;
  for (std::size_t a = 1; a < cells.size(); ++a)
    all *= std::size_t(cells[a]) + (int(a) == axis ? 1 : 0);
  return all;
}
/// Elements per plane of the values of a side of an axis that is not the slowest.
std::size_t row_of_side(const std::vector<int>& cells, std::size_t axis) {
  std::size_t all = 1;
  for (std::size_t a = 1; a < cells.size(); ++a) all *= a == axis ? 1 : std::size_t(cells[a]);
  return all;
}

/// Which arrays a rank has given.
template <class T>
std::uint32_t arrays_given(const grid_description<T>& d) {
  std::uint32_t bits = (d.k_cells.empty() ? 0u : 1u) | (d.s_cells.empty() ? 0u : 2u);
  for (std::size_t a = 0; a < d.cells.size(); ++a) {
    if (!d.k_faces[a].empty()) bits |= 4u << a;
    for (std::size_t high = 0; a > 0 && high < 2; ++high)
      if (!d.boundary.sides[a][high].values.empty()) bits |= 32u << (2 * a + high);
  }
  return bits;
}

template <class T>
void check_part(const divided_grid& grid, const grid_description<T>& d) {
  const int rank = grid.comm->rank();
  const auto planes = std::size_t(grid.division.own(rank).size());
  const auto size = [&](const char* name, std::size_t found, std::size_t wanted) {
    if (found && found != wanted)
      throw input_error(
          fmt::format("grid: {}: expected {} elements, those of the {} planes of rank "
                      "{}, found {}",
                      name, wanted, planes, rank, found));
  };
  // axis: of faces; -1: of cells.
  const auto values = [&](const char* name, std::span<const T> v, bool positive, int axis) {
    std::vector<int> sizes = d.cells;
    sizes[0] = int(planes);
    if (axis >= 0) ++sizes[std::size_t(axis)];
    for (std::size_t i = 0; i < v.size(); ++i)
      if (!std::isfinite(v[i]) || (positive && !(v[i] > 0)))
        throw input_error(fmt::format(
            "grid: {}: expected numbers {}, found {} at {} of the part of "
            "rank {}",
            name, positive ? "> 0" : "that are finite", v[i], place_of_cell(sizes, i), rank));
  };
  size("k", d.k_cells.size(), planes * plane_of_array(d.cells, -1));
  size("s", d.s_cells.size(), planes * plane_of_array(d.cells, -1));
  values("k", d.k_cells, true, -1);
  values("s", d.s_cells, false, -1);
  for (std::size_t a = 0; a < d.cells.size(); ++a) {
    size("k_faces", d.k_faces[a].size(),
         (planes + (a == 0 ? 1 : 0)) * plane_of_array(d.cells, int(a)));
    values("k_faces", d.k_faces[a], true, int(a));
    for (const grid_side& side : d.boundary.sides[a])
      if (a > 0) size("boundary values", side.values.size(), planes * row_of_side(d.cells, a));
  }
}

}  // namespace

grid_shape shape_of_description(const std::vector<int>& cells, const grid_boundary& boundary,
                                const axis_order& order, int ranks) {
  const std::size_t dims = order.dims();
  if (ranks > 1 && dims < 2)
    throw input_error(fmt::format(
        "grid: ranks: expected a grid of two or three axes, the slowest of which is divided, or "
        "one rank, found {} ranks and one axis",
        ranks));
  grid_shape g;
  for (std::size_t a = 0; a < dims; ++a) {
    const auto m = std::size_t(order.inside(a));
    g.n[m] = cells[a];
    const auto& [low, high] = boundary.sides[a];
    g.wraps[m] = low.kind == boundary_kind::periodic;
    if (g.wraps[m] != (high.kind == boundary_kind::periodic))
      throw input_error("grid: boundary: expected both sides of an axis to be periodic, or none");
  }
  return g;
}

template <class E>
std::vector<E> planes_of_slab(const divided_grid& grid, std::span<const E> mine, array_rows of) {
  communicator& comm = *grid.comm;
  const slab_division& all = grid.division;
  std::vector<E> got;
  std::vector<rank_message> out, in;
  // f(owner, first plane there, planes, place in the slab) for the pieces of a rank's slab.
  const auto pieces = [&](int rank, auto&& f) {
    const slab s = slab_of(all, rank);
    const int end = s.start + s.planes + (of.faces ? 1 : 0);
    for (int p = s.start; p < end;) {
      // The face behind the last plane is the last rank's.
      const bool last = of.faces && !all.ring && p == all.planes;
      const int owner = last ? all.ranks() - 1 : all.owner(p);
      const plane_range own = all.own(owner);
      const int first = last ? own.size() : all.wrapped(p) - own.begin;
      const int count = std::min(end - p, last ? 1 : own.size() - first);
      f(owner, first, count, p - s.start);
      p += count;
    }
  };
  together(comm, [&] {
    const slab s = grid.here();
    got.resize(std::size_t(s.planes + (of.faces ? 1 : 0)) * of.row);
    for (int r = 0; r < comm.size(); ++r)
      pieces(r, [&](int owner, int first, int count, int) {
        // Nothing is written through the pointer of an outgoing message.
        if (owner == comm.rank())
          out.push_back({r, const_cast<E*>(mine.data()) + std::size_t(first) * of.row,
                         std::size_t(count) * of.row * sizeof(E)});
      });
    pieces(comm.rank(), [&](int owner, int, int count, int at) {
      in.push_back(
          {owner, got.data() + std::size_t(at) * of.row, std::size_t(count) * of.row * sizeof(E)});
    });
  });
  const auto messages = comm.messages(std::move(out), std::move(in));
  messages->start();
  messages->finish();
  return got;
}

template <class T>
system<T> discretize_slab(const divided_grid& grid, const grid_description<T>& d) {
  communicator& comm = *grid.comm;
  if (comm.size() == 1) return discretize(d, grid.order);
  const auto given = values_of_ranks(comm, arrays_given(d));
  together(comm, [&] {
    for (std::size_t r = 0; r < given.size(); ++r)
      if (given[r] != given[0])
        throw input_error(fmt::format(
            "grid: expected the same arrays on all ranks, found others on rank {} than on rank 0",
            r));
    check_part(grid, d);
  });
  const slab here = grid.here();
  const plane_range own = here.own;
  grid_description<T> part = d;
  part.cells[0] = here.planes;
  std::vector<T> k, s, faces[3];
  const auto fetch = [&](std::span<const T>& of, std::vector<T>& to, array_rows rows) {
    if (of.empty()) return;
    to = planes_of_slab<T>(grid, of, rows);
    of = to;
  };
  fetch(part.k_cells, k, {plane_of_array(d.cells, -1)});
  fetch(part.s_cells, s, {plane_of_array(d.cells, -1)});
  for (std::size_t a = 0; a < d.cells.size(); ++a)
    fetch(part.k_faces[a], faces[a], {plane_of_array(d.cells, int(a)), a == 0});
  // In a ring the last rank's last faces are the first rank's first ones.
  if (grid.division.ring && !d.k_faces[0].empty())
    together(comm, [&] {
      if (comm.rank() + 1 != comm.size()) return;
      const std::size_t row = plane_of_array(d.cells, 0);
      const T* const mine = d.k_faces[0].data() + std::size_t(own.size()) * row;
      const T* const first = faces[0].data() + std::size_t(own.end) * row;
      if (!std::equal(mine, mine + row, first))
        throw input_error("grid: k_faces: expected equal values on both ends of a periodic axis");
    });
  system<T> made = together(comm, [&] {
    auto& [low, high] = part.boundary.sides[0];
    const grid_side closed{.kind = boundary_kind::neumann};
    const plane_range all = grid.division.own(here.rank);
    if (here.cut_low) low = closed;
    if (here.cut_high) high = closed;
    if (all.begin > 0) low.values.clear();  // another rank has them
    if (all.end < grid.division.planes) high.values.clear();
    for (std::size_t a = 1; a < d.cells.size(); ++a)
      for (grid_side& side : part.boundary.sides[a]) {
        if (side.values.empty()) continue;
        const std::size_t row = row_of_side(d.cells, a);
        std::vector<double> values(std::size_t(here.planes) * row, 0.0);
        std::ranges::copy(side.values,
                          values.begin() + std::ptrdiff_t(std::size_t(own.begin) * row));
        side.values = std::move(values);
      }
    return discretize(part, grid.order);
  });
  bool singular =
      d.s_cells.empty() ? d.s == 0 : std::ranges::all_of(d.s_cells, [](T v) { return v == T(0); });
  for (std::size_t a = 0; a < d.cells.size(); ++a)
    for (const grid_side& side : d.boundary.sides[a])
      if (side.kind == boundary_kind::dirichlet ||
          (side.kind == boundary_kind::robin && side.alpha > 0))
        singular = false;
  made.singular = all_of_ranks(comm, singular);
  made.negative_s = any_of_ranks(comm, made.negative_s);
  return made;
}

template <class T>
coefficients<T> whole_operator(const divided_grid& grid, const grid_description<T>& d) {
  if (grid.comm->size() == 1) return {};
  return together(*grid.comm, [&]() -> coefficients<T> {
    const bool arrays = (arrays_given(d) & 31u) != 0;
    if (grid.comm->rank() != 0 || arrays) return {};
    grid_description<T> plain = d;
    for (auto& axis : plain.boundary.sides)
      for (grid_side& side : axis) side.values.clear();
    return discretize(plain, grid.order).a;
  });
}

template std::vector<double> planes_of_slab(const divided_grid&, std::span<const double>,
                                            array_rows);
template std::vector<float> planes_of_slab(const divided_grid&, std::span<const float>, array_rows);
template system<double> discretize_slab(const divided_grid&, const grid_description<double>&);
template system<float> discretize_slab(const divided_grid&, const grid_description<float>&);
template coefficients<double> whole_operator(const divided_grid&, const grid_description<double>&);
template coefficients<float> whole_operator(const divided_grid&, const grid_description<float>&);

}  // namespace dwell::grids
