// SPDX-License-Identifier: MIT
// How much memory of the host systems on grids take, and a refusal where there is less.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/axis_order.hpp"

namespace dwell::grids {

/// Bytes that a solver of one rank takes on a CPU for a grid of so many cells along its axes, each
/// unknown of so many bytes, beside the caller's arrays: b in the order of rows and halved, two of
/// x, r, p, q, and u and f of levels, which are up to as many again; where axes are reordered u in
/// that order; Galerkin's levels have weights and elements, lines have pivots, residuals and sums.
inline double solver_bytes(const std::vector<int>& cells, std::size_t element,
                           const grid_options& o) {
  const axis_order order(cells, reordering::any);
  double unknowns = 1;
  for (const int n : cells) unknowns *= n;
  double each = (order.turns(order.inside(cells)) ? 8.0 : 7.0) * double(element) + 2 * 2 * 4;
  if (o.coarse == "galerkin") each += 60;
  if (o.smoother == "lines") each += 24;
  return unknowns * each;
}

/// Bytes that Galerkin's levels take, weights, elements and what they are made of.
inline double galerkin_bytes(double unknowns) { return unknowns * (60 + 5 * 4); }
/// Bytes of the host that a set-up for a GPU takes, where the host makes an operator with elements
/// of its own for each unknown, and its levels.
inline double gpu_setup_bytes(double unknowns, std::size_t element, const grid_options& o) {
  const double each = 5.0 * double(element) + 2 * 8 * 4 + (o.smoother == "lines" ? 24 : 0);
  return unknowns * each + (o.coarse == "galerkin" ? galerkin_bytes(unknowns) : 0);
}

/// What is said where the host has less than so many bytes for a grid of these cells; empty where
/// it has them.
inline std::string lack_of_memory(const std::vector<int>& cells, double bytes) {
  if (bytes < double(1 << 26)) return {};
  const std::size_t free = host_memory_free();
  if (free == 0 || bytes <= double(free)) return {};  // 0: the system does not say
  return fmt::format("too little memory: {} unknowns need {}, {} are free", fmt::join(cells, "x"),
                     byte_text(bytes), byte_text(double(free)));
}

/// Throws device_error there. Without it a system that promises memory which it does not have ends
/// the program in the middle.
inline void require_host_memory(const std::vector<int>& cells, double bytes) {
  if (const std::string lack = lack_of_memory(cells, bytes); !lack.empty())
    throw device_error(lack);
}

}  // namespace dwell::grids
