// SPDX-License-Identifier: MIT
// Counts of lines by blocks, and the document's equations.
#include "studies/trace/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "studies/models/line_fetches.hpp"
#include "studies/trace/set_conflicts.hpp"

namespace dwell::trace {
namespace {

/// Lines from cell `first` to cell `last` of a row.
std::int64_t lines_between(const traced_problem& p, std::int64_t first, std::int64_t last) {
  return last * p.unit / p.line - first * p.unit / p.line + 1;
}

/// The taps of one row of cells, by their places along x, ascending.
using row_taps = std::vector<int>;

/// Lines that some tasks of a row, from cell x0 on, read of one row.
std::int64_t lines_of_taps(const traced_problem& p, const row_taps& taps, int x0, int width) {
  std::int64_t lines = 0, counted = -1;  // the last line that is counted
  for (const int x : taps) {
    const std::int64_t first = (std::int64_t{x0} + x) * p.unit / p.line,
                       last = (std::int64_t{x0} + x + width - 1) * p.unit / p.line;
    lines += std::max<std::int64_t>(0, last - std::max(first, counted + 1) + 1);
    counted = std::max(counted, last);
  }
  return lines;
}

/// f(block) for all blocks of an order.
template <class F>
void each_block(const index_map& map, F&& f) {
  for (std::int64_t i = 0; i < map.cells();) {
    const cell_block b = map.block_at(i);
    f(b);
    i = b.before + b.size.cells();
  }
}

class stencil_model {
 public:
  explicit stencil_model(const traced_problem& p) : p_(p) {
    for (const grid_cell& t : p.taps) {
      rows_[{t.z, t.y}].push_back(t.x);
      reach_.z = std::max(reach_.z, t.z);
      reach_.y = std::max(reach_.y, t.y);
      reach_.x = std::max(reach_.x, t.x);
    }
    for (auto& [row, taps] : rows_) std::sort(taps.begin(), taps.end());
  }

  /// mirrors: every second row goes backwards, so that a line is needed again after up to two rows.
  void add(const cell_block& b, bool mirrors, fetch_model& out) const {
    std::int64_t of_a_row = 0, widest = 0;
    for (const auto& [row, taps] : rows_) {
      of_a_row += lines_of_taps(p_, taps, b.first.x, b.size.width);
      widest =
          std::max(widest, lines_between(p_, b.first.x + std::int64_t{taps.front()},
                                         b.first.x + std::int64_t{b.size.width} - 1 + taps.back()));
    }
    out.every_row += of_a_row * b.size.height * b.size.depth;
    for (int z = 0; z < b.size.depth + reach_.z; ++z)
      for (int y = 0; y < b.size.height + reach_.y; ++y)
        out.once += lines_of_taps(p_, taps_of(b, z, y), b.first.x, b.size.width);
    // From a row of tasks to the next S_h rows of each plane, or from a plane to the next the rows
    // of S_d planes and those by which the first task of the next plane is ahead.
    const std::int64_t planes = reach_.z + 1, rows = reach_.y + 1;
    const std::int64_t held =
        (b.size.depth > 1 ? planes * (b.size.height + reach_.y) + reach_.y : planes * rows) +
        (mirrors ? 1 : 0);
    out.lines_needed = std::max(out.lines_needed, held * widest);
  }

  /// The document's, in two dimensions.
  void add_document(const block_size& block, const cache_shape& cache, fetch_model& out) const {
    const extents& n = p_.tasks;
    const model::stencil_lines s{static_cast<double>(n.x), static_cast<double>(n.y), reach_.x + 1.0,
                                 reach_.y + 1.0, static_cast<double>(p_.line) / p_.unit};
    if (block.width >= n.x && block.height >= n.y) {
      out.document_lines = model::lines_for_rows(s);
      const bool held = static_cast<double>(cache.lines()) >= *out.document_lines;
      out.document_fetches = held ? model::fetches_by_rows(s) : model::fetches_by_rows_evicted(s);
      out.equation = "3.1";
    } else {
      out.document_lines = model::lines_for_tiles(s, block.width);
      const bool column = block.height >= n.y;
      out.document_fetches = column ? model::fetches_by_columns(s, block.width)
                                    : model::fetches_by_tiles(s, block.width, block.height);
      out.equation = column ? "4.8" : "3.4";
    }
  }

 private:
  /// Taps of row (z, y) of what a block reads, counted from its first one: those by which its tasks
  /// come there.
  row_taps taps_of(const cell_block& b, int z, int y) const {
    row_taps all;
    for (const auto& [row, taps] : rows_) {
      const int task_z = z - row.first, task_y = y - row.second;
      if (task_z < 0 || task_z >= b.size.depth || task_y < 0 || task_y >= b.size.height) continue;
      all.insert(all.end(), taps.begin(), taps.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  const traced_problem& p_;
  std::map<std::pair<int, int>, row_taps> rows_;  ///< by plane and row
  grid_cell reach_;                               ///< reach of the taps along each axis
};

/// A block of C reads all of its columns of B, and all of its rows of A, of which the cache needs
/// the present and the next one.
void add_product(const traced_problem& p, const cell_block& b, fetch_model& out) {
  const std::int64_t of_b =
      p.inner * lines_between(p, b.first.x, b.first.x + std::int64_t{b.size.width} - 1);
  const std::int64_t of_a = lines_between(p, 0, p.inner - 1);
  out.once += of_b + b.size.height * of_a;
  out.every_row += b.size.height * (of_b + of_a);
  out.lines_needed = std::max(out.lines_needed, of_b + 2 * of_a);
}

/// Within blocks: a line of A serves the tasks of a row of the block, one of B those of a column.
double interference_of_product(const traced_problem& p, const block_size& block,
                               const cache_shape& cache) {
  const double line = static_cast<double>(p.line) / p.unit, inner = p.inner;
  const double loads = static_cast<double>(p.tasks.cells()) * inner;
  const double lines = static_cast<double>(cache.lines());
  const auto part = [&](double of) { return std::min(of / lines, 1.0); };
  const double of_a = std::ceil(inner / line), of_b = inner * std::ceil(block.width / line);
  const model::reuse a{loads, std::min(line, inner) * block.width};
  const model::reuse b{loads, std::min<double>(line, block.width) * block.height,
                       of_b > lines ? 1.0 : 0.0};
  // Between two uses of an element of A the task's column of B is read, a line for each row.
  return model::misses(a, model::interference(a, std::array{part(inner)})) +
         model::misses(b, model::interference(b, std::array{part(of_a)}));
}

/// The part of lines that `between` others displace, of which each falls into any set: the chance
/// that as many as there are ways fall into the line's own.
double displaced_at_random(double between, const cache_shape& cache) {
  const double ways = static_cast<double>(cache.lines_of_set());
  const double one = ways / static_cast<double>(cache.lines());  // a set's chance
  if (one >= 1) return between >= ways ? 1 : 0;
  double term = std::pow(1 - one, between), kept = 0;
  for (double k = 0; k < ways; ++k) {
    kept += term;
    term *= (between - k) / (k + 1) * one / (1 - one);
  }
  return std::clamp(1 - kept, 0.0, 1.0);
}

/// Lam et al.'s misses of lines by rows of tasks (table 3.1 of the document): a row of tasks loads
/// its lines, of which all but those that it is the first to read were read by the one before.
double interference_of_stencil(const fetch_model& m, const cache_shape& cache) {
  const model::reuse lines{static_cast<double>(m.every_row),
                           static_cast<double>(m.every_row) / static_cast<double>(m.once),
                           displaced_at_random(static_cast<double>(m.lines_needed), cache)};
  return model::misses(lines, model::interference(lines, std::array<double, 0>{}));
}

/// Do the taps have one in each row from the first to the last?
bool leaves_no_row_out(const traced_problem& p) {
  std::set<int> rows;
  for (const grid_cell& t : p.taps) rows.insert(t.y);
  return static_cast<int>(rows.size()) == *rows.rbegin() + 1;
}

}  // namespace

fetch_model model_fetches(const traced_problem& p, const cell_order& order,
                          const cache_shape& cache) {
  fetch_model out;
  const index_map map(order, p.tasks);
  const block_size largest = map.block_at(0).size;
  if (p.is_product()) {
    each_block(map, [&](const cell_block& b) { add_product(p, b, out); });
    out.interference = interference_of_product(p, largest, cache);
    if (cache.replaces == replacement::lru) {
      const set_conflicts sets(p, cache);
      out.conflicts = out.once;
      each_block(map, [&](const cell_block& b) { *out.conflicts += sets.misses(b); });
    }
    return out;
  }
  const stencil_model stencil(p);
  each_block(map, [&](const cell_block& b) { stencil.add(b, map.mirrors(), out); });
  if (p.tasks.dims != 2) return out;
  stencil.add_document(largest, cache, out);
  out.interference = interference_of_stencil(out, cache);
  if (cache.replaces == replacement::lru && !map.mirrors() && leaves_no_row_out(p)) {
    stencil_set_conflicts sets(p, cache);
    out.conflicts = out.once;
    each_block(map, [&](const cell_block& b) { *out.conflicts += sets.misses(b); });
  }
  return out;
}

}  // namespace dwell::trace
