// SPDX-License-Identifier: MIT
// Widths of columns by the cache's size.
#include "dwell/execution/stencil/plan/policies/cell_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/number_text.hpp"
#include "dwell/execution/stencil/plan/column_width.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"

namespace dwell::policies {
namespace {

/// Part of the cache for what is read again; the rest is for what is written and fetched ahead.
/// Columns of half of what the whole cache holds were the fastest (docs/results/columns.md).
constexpr double part_of_cache = 0.5;

/// Cells of a piece: as few equal pieces of an axis as are at most `most` long.
int equal_pieces(int cells, double most) {
  const int count = pieces(cells, std::max(1, static_cast<int>(std::min<double>(most, cells))));
  return pieces(cells, count);
}
/// Whole lines, 64 cells at least, which vector code wants.
int whole_lines(int cells) { return std::max(64, pieces(cells, 8) * 8); }

/// Columns whose rows the cache holds.
std::string columns_of_rows(const stencil_problem& p, double cache, int width) {
  const double reach = 2 * p.radius + 1;
  const model::column_problem rows{static_cast<double>(p.scalar_bytes), reach, reach};
  if (width <= model::column_width(rows, cache)) return {};
  const double most = model::column_width(rows, part_of_cache * cache);
  return fmt::format("columns:{}", whole_lines(equal_pieces(width, most)));
}

/// Columns of some rows of the planes, which the cache holds: as many planes as a cell reads. They
/// are as wide as the field, or narrower where that leaves them too low.
std::string columns_of_planes(const stencil_problem& p, double cache, int width, int height) {
  constexpr int least = 8;  // rows
  const double reach = 2 * p.radius + 1, around = 2 * p.radius;
  const auto rows = [&](double part, double of_width) {
    return part * cache / (static_cast<double>(p.scalar_bytes) * reach * (of_width + around)) -
           around;
  };
  if (height <= rows(1, width)) return {};
  const double most = rows(part_of_cache, width);
  if (most >= least) return fmt::format("columns:{}x{}", width, equal_pieces(height, most));
  const double narrower =
      part_of_cache * cache / (static_cast<double>(p.scalar_bytes) * reach * (least + around)) -
      around;
  return fmt::format("columns:{}x{}", whole_lines(equal_pieces(width, narrower)), least);
}

}  // namespace

cell_order_choice choose_cell_order(const stencil_problem& problem, std::size_t cache_bytes) {
  const cell_box& b = problem.inner;
  const int width = b.x1 - b.x0, height = b.y1 - b.y0, depth = b.z1 - b.z0;
  const bool deep = problem.size.dims == 3;
  // Nothing is read again where there is one row, or plane.
  if (cache_bytes == 0 || width < 1 || height < 1 || (deep ? depth : height) < 2) return {};
  const auto cache = static_cast<double>(cache_bytes);
  const std::string text = deep ? columns_of_planes(problem, cache, width, height)
                                : columns_of_rows(problem, cache, width);
  if (text.empty()) return {};
  return {*parse_cell_order(text, problem.size.dims),
          fmt::format(
              "cells in order {}, since {} that a cell reads are more than a core's cache of {}",
              text, deep ? "the planes" : "the rows", byte_text(cache))};
}

}  // namespace dwell::policies
