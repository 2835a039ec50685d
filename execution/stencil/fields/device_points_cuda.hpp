// SPDX-License-Identifier: MIT
// Sources or receivers of a run in a GPU's memory: cells, and the values of its steps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/fields/field_points.hpp"

namespace dwell::cuda {

/// Blocks of so many lanes for so many cells.
inline unsigned blocks_of(std::int64_t cells, unsigned block) {
  return static_cast<unsigned>((cells + block - 1) / block);
}

/// Rows of a series or a record, `width` values each, from row `first` on.
template <class T, class Values>
std::span<T> rows_of(Values& values, std::size_t width, std::int64_t first, int rows) {
  return std::span<T>(values).subspan(static_cast<std::size_t>(first) * width,
                                      static_cast<std::size_t>(rows) * width);
}

template <class T>
class device_points {
 public:
  /// kernel: fields_add_kernel or fields_record_kernel, which outlives this.
  device_points(const device& where, std::int64_t pitch, int field,
                const std::vector<field_point>& points, int steps, const loaded_kernel& kernel)
      : kernel_(&kernel),
        field_(field),
        width_(points.size()),
        values_(where, points.size() * static_cast<std::size_t>(steps)) {
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

  int field() const { return field_; }
  /// Values of all steps, [step][place], and those of the first ones.
  void upload(std::span<const T> values) { values_.upload(values); }
  void download(std::span<T> values) const { values_.download(values); }

  /// After step `step` of the run: adds to the cells of the field, or records them.
  void apply(T* cells, int step, cudaStream_t on) const {
    constexpr unsigned block = 256;
    const auto points = static_cast<int>(at_.size());
    if (points == 0) return;
    launch_apart(kernel_->handle(), blocks_of(points, block), block, 0, on, cells, at_.data(),
                 first_.data(), order_.data(), points,
                 values_.data() + static_cast<std::size_t>(step) * width_);
  }

 private:
  const loaded_kernel* kernel_;
  int field_;
  std::size_t width_;          ///< values of a step
  buffer<std::int64_t> at_;    ///< cells, each once
  buffer<int> first_, order_;  ///< places in a step's values, cell by cell
  buffer<T> values_;
};

}  // namespace dwell::cuda
