// SPDX-License-Identifier: MIT
// Row sources of grids: the functors that make the whole matrices (grid_rows.hpp), in 64 bits, so
// that any rows have the bits of the whole.
#include "dwell/datasets/rows_by_kind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/datasets/grid_rows.hpp"
#include "dwell/datasets/model_problems.hpp"

namespace dwell::detail {
namespace {

template <class Rows>
class grid_source final : public row_source {
 public:
  grid_source(std::string kind, std::int64_t points, bool symmetric, Rows rows)
      : kind_(std::move(kind)), points_(points), symmetric_(symmetric), rows_(rows) {}

  std::int64_t rows() const override { return points_; }
  std::int64_t cols() const override { return points_; }
  std::int64_t nonzeros() const override { return rows_.before(points_); }
  bool symmetric() const override { return symmetric_; }
  std::int64_t row_ptr(std::int64_t row) const override {
    require(0, row);
    return rows_.before(row);
  }

  matrix_rows part(std::int64_t first, std::int64_t last, int threads) const override {
    require(first, last);
    constexpr std::int64_t worth_a_thread = 1 << 16;  // rows
    const int parts = static_cast<int>(std::min<std::int64_t>(
        threads > 0 ? threads : default_threads(), (last - first) / worth_a_thread + 1));
    try {
      matrix_rows made;
      made.all_rows = points_;
      const std::int64_t from = rows_.before(first);
      const auto entries = static_cast<std::size_t>(rows_.before(last) - from);
      made.row_ptr.resize(static_cast<std::size_t>(last - first) + 1);
      made.col.resize(entries);
      made.val.resize(entries);
      for_parts(parts, [&](int p) {
        const auto [begin, end] = piece(last - first, p, parts);
        std::int64_t k = rows_.before(first + begin) - from;
        for (std::int64_t i = begin; i < end; ++i) {
          poll_interruption_at(i);
          made.row_ptr[static_cast<std::size_t>(i)] = k;
          rows_(first + i, [&](std::int64_t column, double value) {
            made.col[static_cast<std::size_t>(k)] = column;
            made.val[static_cast<std::size_t>(k)] = value;
            ++k;
          });
        }
      });
      made.row_ptr.back() = static_cast<std::int64_t>(entries);
      return made;
    } catch (const std::bad_alloc&) {
      throw device_error("not enough memory to generate rows of '" + kind_ + "'");
    }
  }

 private:
  void require(std::int64_t first, std::int64_t last) const {
    if (first >= 0 && first <= last && last <= points_) return;
    throw input_error(kind_ + ": expected rows of 0 to " + std::to_string(points_) + ", found " +
                      std::to_string(first) + " to " + std::to_string(last));
  }

  std::string kind_;
  std::int64_t points_;
  bool symmetric_;
  Rows rows_;
};

/// So many rows that their entries, `most` in a row, are counted by 63 bits.
std::int64_t points_of(const kind_request& r, const std::string& form, const grid_request& g,
                       int most) {
  const __int128 all = static_cast<__int128>(g.points[0]) * g.points[1] * g.points[2];
  const std::int64_t limit = std::numeric_limits<std::int64_t>::max() / most;
  if (all > limit) refuse(r, form + " with at most " + std::to_string(limit) + " points");
  return static_cast<std::int64_t>(all);
}

template <class Rows, class... More>
std::unique_ptr<row_source> star_source(const kind_request& r, const std::string& form,
                                        const grid_request& g, bool symmetric, More... more) {
  const std::int64_t points = points_of(r, form, g, 8);
  return std::make_unique<grid_source<Rows>>(
      r.kind, points, symmetric, Rows{{g.points[0], g.points[1], g.points[2]}, more...});
}

using wide = std::int64_t;

}  // namespace

std::unique_ptr<row_source> poisson2d_rows(const kind_request& r) {
  const char* form = "poisson2d:WxH";
  return star_source<laplacian_rows<wide>>(r, form, parse_grid(r, form, 2), true, 4.0);
}
std::unique_ptr<row_source> poisson3d_rows(const kind_request& r) {
  const char* form = "poisson3d:WxHxD";
  return star_source<laplacian_rows<wide>>(r, form, parse_grid(r, form, 3), true, 6.0);
}
std::unique_ptr<row_source> neumann2d_rows(const kind_request& r) {
  const char* form = "neumann2d:WxH";
  return star_source<neumann_rows<wide>>(r, form, parse_grid(r, form, 2), true);
}
std::unique_ptr<row_source> neumann3d_rows(const kind_request& r) {
  const char* form = "neumann3d:WxHxD";
  return star_source<neumann_rows<wide>>(r, form, parse_grid(r, form, 3), true);
}
std::unique_ptr<row_source> convection2d_rows(const kind_request& r) {
  const char* form = "convection2d:WxH:PECLET";
  const grid_request g = parse_grid_and_number(r, form);
  const double upwind = upwind_of(g.number, g.points[0]);
  return star_source<convection_rows<wide>>(r, form, g, upwind == 0, upwind);
}
double helmholtz_diagonal(const grid_request& g) {
  const double angle = 2 * std::numbers::pi * g.number / (static_cast<double>(g.points[0]) + 1);
  return 4 - angle * angle;
}
std::unique_ptr<row_source> helmholtz2d_rows(const kind_request& r) {
  const char* form = "helmholtz2d:WxH:WAVES";
  const grid_request g = parse_grid_and_number(r, form);
  return star_source<laplacian_rows<wide>>(r, form, g, true, helmholtz_diagonal(g));
}
std::unique_ptr<row_source> anisotropic2d_rows(const kind_request& r) {
  const char* form = "anisotropic2d:WxH:WEAK";
  const grid_request g = parse_grid_and_number(r, form);
  return star_source<anisotropic_rows<wide>>(r, form, g, true, g.number);
}
std::unique_ptr<row_source> jumps2d_rows(const kind_request& r) {
  const char* form = "jumps2d:WxH:RATIO";
  const grid_request g = parse_grid_and_number(r, form);
  if (!(g.number > 0)) refuse(r, std::string(form) + " with a ratio above 0");
  return star_source<jumps_rows<wide>>(r, form, g, true, g.number);
}
std::unique_ptr<row_source> box3d_rows(const kind_request& r) {
  const char* form = "box3d:N";
  const auto sizes = parse_sizes(r.size, 1);
  if (!sizes) refuse(r, std::string(form) + " with N of at least 1");
  const index n = sizes->front();
  const std::int64_t points = points_of(r, form, {{n, n, n}, 0}, 27);
  return std::make_unique<grid_source<box_rows<wide>>>(r.kind, points, true, box_rows<wide>{n});
}

}  // namespace dwell::detail
