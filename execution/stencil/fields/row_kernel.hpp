// SPDX-License-Identifier: MIT
// What computes the cells of a row, of one stage: compiled code or the interpreter. It is handed a
// pointer for each row that the stage reads (field_stage::rows), each such that cell x is at [x],
// and for each row that it writes (field_stage::computed). It knows nothing of borders: every cell
// that a tap reaches is there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/stencil/built_row_kernels.hpp"
#include "dwell/stencil/definition.hpp"

namespace dwell {

template <class T>
class row_kernel {
 public:
  virtual ~row_kernel() = default;
  /// Values of scratch memory that a thread needs for run().
  virtual std::size_t scratch() const { return 0; }
  virtual void run(std::size_t stage, const T* const* rows, T* const* out, const T* parameters,
                   std::int64_t first, std::int64_t last, T* scratch) const = 0;
};

/// Compiled code: a function for each stage, null for a stage that computes nothing.
template <class T>
class compiled_rows final : public row_kernel<T> {
 public:
  explicit compiled_rows(std::vector<row_function> stages) : stages_(std::move(stages)) {}
  void run(std::size_t stage, const T* const* rows, T* const* out, const T* parameters,
           std::int64_t first, std::int64_t last, T*) const override {
    stages_[stage](reinterpret_cast<const void* const*>(rows), reinterpret_cast<void* const*>(out),
                   parameters, static_cast<long>(first), static_cast<long>(last));
  }

 private:
  std::vector<row_function> stages_;
};

/// The tape itself, node by node over blocks of cells: no compiler is needed. T is double or float.
template <class T>
std::unique_ptr<row_kernel<T>> interpreted_rows(const stencil_definition& definition);

}  // namespace dwell
