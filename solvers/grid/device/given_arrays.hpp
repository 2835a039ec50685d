// SPDX-License-Identifier: MIT
// Coefficients that a caller has in the memory of a GPU: where they lie, and what the host has to
// know of them.
#pragma once
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/discretize.hpp"

namespace dwell::grids {

template <class T>
bool is_empty(const device_coefficients<T>& c) {
  bool empty = c.k_cells.size == 0 && c.s_cells.size == 0;
  for (const auto& faces : c.k_faces) empty = empty && faces.size == 0;
  return empty;
}

/// A description with arrays in the memory of `where`; copies of them on the host live as long as
/// this does.
template <class T>
class given_arrays {
 public:
  /// Throws input_error for arrays that are elsewhere, or given on the host, too.
  given_arrays(const device& where, const grid_description<T>& d, const device_coefficients<T>& c)
      : where_(where), d_(d), given_(c) {
    const auto check = [&](const char* name, device_span<const T> v, bool on_host) {
      if (v.size == 0) return;
      require_on_device(where_, name, v);
      if (on_host)
        throw input_error(
            fmt::format("grid: {}: expected an array of the host or of the GPU, found both", name));
    };
    check("k", c.k_cells, !d.k_cells.empty());
    check("s", c.s_cells, !d.s_cells.empty());
    for (std::size_t axis = 0; axis < 3; ++axis)
      check("k_faces", c.k_faces[axis], !d.k_faces[axis].empty());
  }

  /// With all arrays on the host.
  grid_description<T> whole() { return described(true); }
  /// With those of which a set-up by kernels needs values on the host: s, which may be below 0 or 0
  /// everywhere; k of faces, of which the ends of an axis may have to agree; and k where a side has
  /// a value, which its conductance goes with, or where the host turns it.
  grid_description<T> looked_at(const axis_order& order) {
    return described(has_values() || order.turns(order.inside(d_.cells)));
  }

  /// Takes sizes for those of arrays, and their places to `problem`, which has those that the host
  /// has turned.
  void put(undiscretized<T>& problem, const axis_order& order) const {
    const grid_shape& g = problem.system.a.shape;
    const std::size_t cells = g.cells();
    const auto take = [&](const char* name, const T*& to, device_span<const T> v,
                          std::size_t wanted, const axis_order::sizes& n) {
      if (v.size == 0) return;
      if (v.size != wanted)
        throw input_error(
            fmt::format("grid: {}: expected {} elements, found {}", name, wanted, v.size));
      if (!order.turns(n)) to = v.data;
    };
    take("k", problem.there.k_cells, given_.k_cells, cells, g.n);
    take("s", problem.there.s_cells, given_.s_cells, cells, g.n);
    for (std::size_t axis = 0; axis < order.dims(); ++axis) {
      const auto m = static_cast<std::size_t>(order.inside(axis));
      const auto n = static_cast<std::size_t>(g.n[m]);
      axis_order::sizes faces = g.n;
      ++faces[m];
      take("k_faces", problem.there.faces[m], given_.k_faces[axis], cells / n * (n + 1), faces);
    }
  }

 private:
  bool has_values() const {
    for (const auto& axis : d_.boundary.sides)
      for (const grid_side& side : axis)
        if (side.value != 0 || !side.values.empty()) return true;
    return false;
  }
  grid_description<T> described(bool with_k) {
    grid_description<T> d = d_;
    if (with_k) take(d.k_cells, given_.k_cells, k_);
    take(d.s_cells, given_.s_cells, s_);
    for (std::size_t axis = 0; axis < 3; ++axis)
      take(d.k_faces[axis], given_.k_faces[axis], faces_[axis]);
    return d;
  }
  void take(std::span<const T>& to, device_span<const T> from, std::vector<T>& here) {
    if (from.size == 0) return;
    if (here.empty()) {
      here.resize(from.size);
      memory_of(where_.on()).download(where_, here.data(), from.data, from.size * sizeof(T));
    }
    to = here;
  }

  device where_;
  const grid_description<T>& d_;
  const device_coefficients<T>& given_;
  std::vector<T> k_, s_;
  std::array<std::vector<T>, 3> faces_;
};

}  // namespace dwell::grids
