// SPDX-License-Identifier: MIT
// Counts of lines by sets.
#include "studies/trace/set_conflicts.hpp"

#include <algorithm>
#include <numeric>

namespace dwell::trace {
namespace {

std::int64_t lines_from_row_to_row(const traced_problem& p, const traced_array& a) {
  return a.pitch / p.line;
}

/// The columns of lines of B that a block has, and how many of its columns of tasks lie in each.
struct line_columns {
  line_columns(const traced_problem& p, const cell_block& b)
      : first(std::int64_t{b.first.x} * p.unit / p.line) {
    for (int x = b.first.x; x < b.first.x + b.size.width; ++x) {
      const auto column = static_cast<std::size_t>(std::int64_t{x} * p.unit / p.line - first);
      tasks.resize(column + 1);
      ++tasks[column];
    }
  }
  std::int64_t first;
  std::vector<std::int64_t> tasks;
};

}  // namespace

set_conflicts::set_conflicts(const traced_problem& product, const cache_shape& cache)
    : p_(product),
      sets_(cache.lines() / cache.lines_of_set()),
      ways_(cache.lines_of_set()),
      row_lines_((std::int64_t{product.inner} * product.unit + product.line - 1) / product.line),
      first_column_(static_cast<std::size_t>(sets_)) {
  for (std::int64_t k = 0; k < p_.inner; ++k) ++first_column_[set_of_b(k, 0)];
}

std::int64_t set_conflicts::of_row(std::int64_t y, std::int64_t set, std::int64_t begin,
                                   std::int64_t end) const {
  const traced_array& a = p_.arrays[0];
  const std::int64_t first = (a.first_line + y * lines_from_row_to_row(p_, a)) % sets_;
  const std::int64_t own = (set - first + sets_) % sets_;  // first line of the row in the set
  const auto before = [&](std::int64_t line) { return (line - own + sets_ - 1) / sets_; };
  return std::max<std::int64_t>(before(end), 0) - std::max<std::int64_t>(before(begin), 0);
}

std::int64_t set_conflicts::of_column(std::int64_t column, std::int64_t set) const {
  return first_column_[static_cast<std::size_t>((set - column % sets_ + sets_) % sets_)];
}

std::size_t set_conflicts::set_of_b(std::int64_t row, std::int64_t column) const {
  const traced_array& b = p_.arrays[1];
  return static_cast<std::size_t>((b.first_line + row * lines_from_row_to_row(p_, b) + column) %
                                  sets_);
}

std::int64_t set_conflicts::lost_of_row(std::int64_t y, std::int64_t column,
                                        std::int64_t next) const {
  const traced_array& a = p_.arrays[0];
  const std::int64_t first = a.first_line + y * lines_from_row_to_row(p_, a);
  const auto begin_of = [&](std::int64_t line) {
    return std::min<std::int64_t>((line * p_.line + p_.unit - 1) / p_.unit, p_.inner);
  };
  // Lines of B in each set between two uses of a line of A: the task's from the line's last element
  // on, the next task's before the line's first element.
  std::vector<std::int64_t> between(static_cast<std::size_t>(sets_));
  for (std::int64_t k = 0; k < p_.inner; ++k) ++between[set_of_b(k, column)];
  std::int64_t lost = 0, begun = 0, ended = 0;
  for (std::int64_t line = 0; line < row_lines_; ++line) {
    for (; begun < begin_of(line); ++begun) ++between[set_of_b(begun, next)];
    for (; ended < begin_of(line + 1) - 1; ++ended) --between[set_of_b(ended, column)];
    const std::int64_t set = (first + line) % sets_;
    if (of_row(y, set, 0, row_lines_) + between[static_cast<std::size_t>(set)] > ways_) ++lost;
  }
  return lost;
}

std::int64_t set_conflicts::displaced_elements(std::int64_t y, std::int64_t column) const {
  const traced_array& a = p_.arrays[0];
  std::int64_t count = 0;
  for (std::int64_t k = 0; k + 1 < p_.inner; ++k) {
    const std::int64_t line = k * p_.unit / p_.line;
    if ((k + 1) * p_.unit / p_.line != line) continue;
    const std::int64_t of_a = a.first_line + y * lines_from_row_to_row(p_, a) + line;
    if (static_cast<std::size_t>(of_a % sets_) == set_of_b(k, column)) ++count;
  }
  return count;
}

std::int64_t set_conflicts::within_row(const cell_block& block, std::int64_t y) const {
  const line_columns columns(p_, block);
  std::int64_t lost = 0;
  for (std::size_t j = 0; j < columns.tasks.size(); ++j) {
    const std::int64_t column = columns.first + static_cast<std::int64_t>(j);
    if (ways_ == 1) lost += columns.tasks[j] * displaced_elements(y, column);
    const std::int64_t steps = columns.tasks[j] - 1;
    if (steps > 0) lost += steps * lost_of_row(y, column, column);
    if (j + 1 < columns.tasks.size()) lost += lost_of_row(y, column, column + 1);
  }
  for (std::int64_t s = 0; s < sets_; ++s) {
    const std::int64_t a = of_row(y, s, 0, row_lines_);
    for (std::size_t j = 0; j < columns.tasks.size(); ++j) {
      const std::int64_t b = of_column(columns.first + static_cast<std::int64_t>(j), s);
      if (a + b > ways_) lost += (columns.tasks[j] - 1) * b;
    }
  }
  return lost;
}

std::int64_t set_conflicts::to_next_row(const cell_block& block, std::int64_t y,
                                        const std::vector<std::int64_t>& of_block) const {
  const line_columns columns(p_, block);
  const std::size_t last = columns.tasks.size() - 1;
  std::int64_t lost = 0;
  for (std::int64_t k = 0; k < p_.inner; ++k) {
    // The last column of lines is used beside the row of A from here on, the first one beside the
    // next row up to here.
    const std::int64_t here = k * p_.unit / p_.line;
    for (std::size_t j = 0; j <= last; ++j) {
      const std::size_t set = set_of_b(k, columns.first + static_cast<std::int64_t>(j));
      const auto s = static_cast<std::int64_t>(set);
      const std::int64_t between = of_block[set] + of_row(y, s, j < last ? 0 : here, row_lines_) +
                                   of_row(y + 1, s, 0, j > 0 ? row_lines_ : here + 1);
      if (between > ways_) ++lost;
    }
  }
  return lost;
}

std::int64_t set_conflicts::misses(const cell_block& block) const {
  const line_columns columns(p_, block);
  std::vector<std::int64_t> of_block(static_cast<std::size_t>(sets_));
  for (std::int64_t s = 0; s < sets_; ++s)
    for (std::size_t j = 0; j < columns.tasks.size(); ++j)
      of_block[static_cast<std::size_t>(s)] +=
          of_column(columns.first + static_cast<std::int64_t>(j), s);
  // Rows of A that begin in the same set are alike.
  const std::int64_t period = sets_ / std::gcd(lines_from_row_to_row(p_, p_.arrays[0]), sets_);
  const std::int64_t rows = block.size.height;
  std::int64_t lost = 0;
  for (std::int64_t r = 0; r < std::min(period, rows); ++r) {
    const auto alike = [&](std::int64_t count) { return (count - r + period - 1) / period; };
    const std::int64_t y = block.first.y + r;
    lost += alike(rows) * within_row(block, y);
    if (r < rows - 1) lost += alike(rows - 1) * to_next_row(block, y, of_block);
  }
  return lost;
}

stencil_set_conflicts::stencil_set_conflicts(const traced_problem& stencil,
                                             const cache_shape& cache)
    : p_(stencil),
      sets_(cache.lines() / cache.lines_of_set()),
      ways_(cache.lines_of_set()),
      pitch_(lines_from_row_to_row(stencil, stencil.arrays[0])) {
  for (const grid_cell& t : p_.taps) {
    if (rows_.size() <= static_cast<std::size_t>(t.y)) rows_.push_back({t.x, t.x});
    reach& row = rows_[static_cast<std::size_t>(t.y)];
    row = {std::min(row.front, t.x), std::max(row.back, t.x)};
  }
}

std::int64_t stencil_set_conflicts::in_set_of(std::int64_t row, std::int64_t column,
                                              const lines& of) const {
  if (of.begin >= of.end) return 0;
  // Columns c with c = column + (row - of.row) pitch, modulo the sets.
  const std::int64_t own = column + (row - of.row) * pitch_;
  const auto before = [&](std::int64_t end) {  // such columns from own on, downwards negative
    const std::int64_t d = end - own;
    return d > 0 ? (d + sets_ - 1) / sets_ : -((-d) / sets_);
  };
  const bool itself = row == of.row && of.begin <= column && column < of.end;
  return before(of.end) - before(of.begin) - (itself ? 1 : 0);
}

bool stencil_set_conflicts::lost_in_row(int j, std::int64_t column, int x) const {
  // Rows below at this task, rows above at the next one; of its own row the lines after it at this
  // task and before it at the next one.
  std::int64_t between = 0;
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const reach& r = rows_[static_cast<std::size_t>(i)];
    const int at = i > j ? x : x + 1;
    lines of{i, line_at(std::int64_t{at} + r.front), line_at(std::int64_t{at} + r.back) + 1};
    if (i == j)
      of = {j, line_at(std::int64_t{x} + 1 + r.front), line_at(std::int64_t{x} + r.back) + 1};
    between += in_set_of(j, column, of);
  }
  return between >= ways_;
}

bool stencil_set_conflicts::lost_to_next_row(int j, std::int64_t column, int x0, int width) const {
  const auto row = [&](int i) { return rows_[static_cast<std::size_t>(i)]; };
  const int height = static_cast<int>(rows_.size());
  const auto first_cell = [&](std::int64_t c) { return (c * p_.line + p_.unit - 1) / p_.unit; };
  const auto within = [&](std::int64_t x) {
    return std::clamp<std::int64_t>(x, x0, std::int64_t{x0} + width - 1);
  };
  // The last task of this row of tasks that reads the line, and the first one of the next.
  const std::int64_t last = within(first_cell(column + 1) - 1 - row(j).front);
  const std::int64_t first = within(first_cell(column) - row(j - 1).back);
  const std::int64_t end = std::int64_t{x0} + width - 1;
  std::int64_t between = 0;
  for (int i = 0; i <= height; ++i) {  // rows from the first one of this row of tasks on
    lines now{i, 0, 0}, then{i, 0, 0};
    if (i < height) {
      const std::int64_t from = i > j ? last : last + 1;
      if (from <= end) now = {i, line_at(from + row(i).front), line_at(end + row(i).back) + 1};
    }
    if (i > 0) {
      const std::int64_t to = i < j ? first : first - 1;
      if (to >= x0) then = {i, line_at(x0 + row(i - 1).front), line_at(to + row(i - 1).back) + 1};
    }
    // Lines of both are one.
    if (now.begin < now.end && then.begin < then.end && now.begin < then.end) {
      now.begin = std::min(now.begin, then.begin);
      now.end = std::max(now.end, then.end);
      then.end = then.begin;
    }
    between += in_set_of(j, column, now) + in_set_of(j, column, then);
  }
  return between >= ways_;
}

std::int64_t stencil_set_conflicts::misses(const cell_block& block) {
  // What matters is where the block's columns begin in a line.
  const int x0 = static_cast<int>(std::int64_t{block.first.x} %
                                  (std::int64_t{p_.line} / std::gcd(p_.line, p_.unit)));
  const int width = block.size.width, height = block.size.height;
  const auto [at, fresh] = known_.try_emplace({x0, width, height}, 0);
  if (!fresh) return at->second;
  std::int64_t within = 0, to_next = 0;
  for (int j = 0; j < static_cast<int>(rows_.size()); ++j) {
    const reach& r = rows_[static_cast<std::size_t>(j)];
    for (int x = x0; x + 1 < x0 + width; ++x)
      for (std::int64_t c = line_at(std::int64_t{x} + 1 + r.front);
           c <= line_at(std::int64_t{x} + r.back); ++c)
        if (lost_in_row(j, c, x)) ++within;
    if (j == 0) continue;
    const reach& above = rows_[static_cast<std::size_t>(j) - 1];
    const std::int64_t begin = line_at(std::int64_t{x0} + std::max(r.front, above.front));
    const std::int64_t end = line_at(std::int64_t{x0} + width - 1 + std::min(r.back, above.back));
    for (std::int64_t c = begin; c <= end; ++c)
      if (lost_to_next_row(j, c, x0, width)) ++to_next;
  }
  return at->second = within * height + to_next * (height - 1);
}

}  // namespace dwell::trace
