// SPDX-License-Identifier: MIT
// Sources and receivers of a runner in a GPU's memory: cells and series stay there from run to run,
// as long as the runner's lists are the same; records are those of one run.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/fields/field_points.hpp"
#include "dwell/execution/stencil/fields/point_table.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"

namespace dwell::cuda {

/// Blocks of so many lanes for so many cells.
inline unsigned blocks_of(std::int64_t cells, unsigned block) {
  return static_cast<unsigned>((cells + block - 1) / block);
}

/// The cells of a list, each once, for kernels of single steps.
template <class T>
class device_cells {
 public:
  device_cells(const device& where, std::int64_t pitch, const std::vector<field_point>& points) {
    std::vector<field_point> sorted = points;
    std::ranges::stable_sort(sorted, {},
                             [](const field_point& p) { return std::pair(p.row, p.x); });
    std::vector<std::int64_t> at;
    std::vector<int> first, order;
    for (const field_point& p : sorted) {
      const std::int64_t cell = p.row * pitch + p.x;
      if (at.empty() || at.back() != cell) {
        at.push_back(cell);
        first.push_back(static_cast<int>(order.size()));
      }
      order.push_back(static_cast<int>(p.place));
    }
    first.push_back(static_cast<int>(order.size()));
    at_ = buffer<std::int64_t>::copy_of(where, at);
    first_ = buffer<int>::copy_of(where, first);
    order_ = buffer<int>::copy_of(where, order);
  }

  /// fields_add_kernel or fields_record_kernel; values: those of the step, by places.
  template <class Values>
  void apply(const loaded_kernel& kernel, T* cells, Values* values, cudaStream_t on) const {
    constexpr unsigned block = 256;
    const auto points = static_cast<int>(at_.size());
    if (points == 0) return;
    launch_apart(kernel.handle(), blocks_of(points, block), block, 0, on, cells, at_.data(),
                 first_.data(), order_.data(), points, values);
  }

 private:
  buffer<std::int64_t> at_;
  buffer<int> first_, order_;  ///< places in a step's values, cell by cell
};

template <class T>
class device_points {
 public:
  /// What a runner has now.
  device_points(const device& where, std::int64_t pitch, const field_points<T>& points)
      : where_(where), revision_(points.revision) {
    std::size_t values = 0, uploaded = 0;
    for (const source_list<T>& list : points.sources) values += list.series.size();
    series_ = buffer<T>(where, values, fresh::unset);
    for (const source_list<T>& list : points.sources) {
      const auto width = static_cast<int>(list.points.size());
      series_.upload(list.series, uploaded);
      const std::int64_t at = static_cast<std::int64_t>(uploaded) - list.first_step * width;
      uploaded += list.series.size();
      sources_.push_back({list.field, width, at, device_cells<T>(where, pitch, list.points)});
      for (const field_point& p : list.points)
        points_.push_back({p.row,
                           p.x,
                           {at + static_cast<std::int64_t>(p.place), width,
                            static_cast<short>(list.field), false}});
    }
    for (const receiver_list<T>& list : points.receivers) {
      receivers_.push_back({list.field, static_cast<int>(list.points.size()), received_,
                            device_cells<T>(where, pitch, list.points)});
      received_ += static_cast<std::int64_t>(list.points.size());
    }
    std::size_t k = 0;
    for (const receiver_list<T>& list : points.receivers) {
      const std::int64_t at = receivers_[k++].at;
      for (const field_point& p : list.points)
        points_.push_back({p.row,
                           p.x,
                           {at + static_cast<std::int64_t>(p.place), static_cast<int>(received_),
                            static_cast<short>(list.field), true}});
    }
  }
  std::int64_t revision() const { return revision_; }

  /// Before a run of so many steps, whose first is `first_step` of the runner.
  void begin(std::int64_t first_step, int steps) {
    first_step_ = first_step;
    const auto values = static_cast<std::size_t>(received_ * steps);
    if (record_.size() < values) record_ = {};
    if (record_.size() < values) record_ = buffer<T>(where_, values, fresh::unset);
  }

  /// After step `step` of the run: adds sources, records receivers. cells(field): its memory.
  template <class Cells>
  void apply(const loaded_kernel& add, const loaded_kernel& record, int step, Cells&& cells,
             cudaStream_t on) const {
    for (const part& p : sources_)
      p.cells.apply(add, cells(p.field), series_.data() + p.at + (first_step_ + step) * p.width,
                    on);
    for (const part& p : receivers_)
      p.cells.apply(record, cells(p.field), record_.data() + step * received_ + p.at, on);
  }

  /// Those of a pass from step `step` of the run on. All else is the same in all passes.
  pass_points<T> of_pass(int step, const overlapping_strips& strips, int ny, int across) {
    if (!table_) {
      const point_table made = point_table_of(points_, strips, ny, across);
      table_ = {buffer<point_row>::copy_of(where_, made.rows),
                buffer<strip_point>::copy_of(where_, made.list)};
    }
    return {table_->rows.data(), table_->list.data(), series_.data(), first_step_ + step,
            record_.data() + step * received_};
  }

  /// Likewise of a pass by tiles of columns; nz: planes.
  pass_points<T> of_columns(int step, const columns_tiles& tiles, int nz, int lane_rows) {
    if (!table_) {
      const point_table made = columns_table_of(points_, tiles, nz, lane_rows);
      table_ = {buffer<point_row>::copy_of(where_, made.rows),
                buffer<strip_point>::copy_of(where_, made.list)};
    }
    return {table_->rows.data(), table_->list.data(), series_.data(), first_step_ + step,
            record_.data() + step * received_};
  }

  /// Likewise of tiles on a chip.
  resident_points<T> of_tiles(int step, const resident_plan& plan, const resident_numbers& numbers,
                              const int (&n)[3]) {
    if (!tiles_ || tiles_->plan != plan) {
      const auto& [y, x, z] = plan.tiles;
      const tile_points made = tile_points_of(points_, numbers, n, {y, x, z}, plan.depth);
      tiles_ = {plan, buffer<int>::copy_of(where_, made.first),
                buffer<strip_point>::copy_of(where_, made.list)};
    }
    return {tiles_->list.data(), tiles_->first.data(), series_.data(), first_step_ + step,
            record_.data() + step * received_};
  }

  /// Puts the first steps of the run into the lists of the runner.
  void download(field_points<T>& points, int steps) const {
    for (std::size_t k = 0; k < receivers_.size(); ++k) {
      receiver_list<T>& list = points.receivers[k];
      const auto width = static_cast<std::size_t>(receivers_[k].width);
      if (width == 0 || steps == 0) continue;
      record_.download_rows(
          std::span<T>(list.record)
              .subspan(static_cast<std::size_t>(first_step_ - list.first_step) * width,
                       static_cast<std::size_t>(steps) * width),
          width, static_cast<std::size_t>(received_), static_cast<std::size_t>(receivers_[k].at));
    }
  }

 private:
  /// A list: values of a step, and where they are: counted from the runner's first step in series_,
  /// in a step of record_.
  struct part {
    int field, width;
    std::int64_t at;
    device_cells<T> cells;
  };
  struct table {
    buffer<point_row> rows;
    buffer<strip_point> list;
  };

  device where_;
  std::int64_t revision_, received_ = 0, first_step_ = 0;
  std::vector<part> sources_, receivers_;
  std::vector<pass_point> points_;
  std::optional<table> table_;
  struct tile_table {
    resident_plan plan;
    buffer<int> first;
    buffer<strip_point> list;
  };
  std::optional<tile_table> tiles_;
  buffer<T> series_;
  buffer<T> record_;  ///< [step of the run][receiver of any list]
};

}  // namespace dwell::cuda
