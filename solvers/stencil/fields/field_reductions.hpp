// SPDX-License-Identifier: MIT
// Reductions of a runner: when they are due, and what they were. A field that is looked at is
// copied without the padding of its rows, on its device, so that the order of sums is that of an
// array of the caller.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dwell/arrays/reduce.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_reduction.hpp"
#include "dwell/stencil/stencil_stop.hpp"

namespace dwell {

/// What reductions do with a runner's fields, in memory of their device.
template <class T>
struct field_access {
  std::function<void(int field, T* to)> copy;  ///< all cells, without padding
  std::function<void(T* from, const T* cells)> subtract;
};

template <class T>
class field_reductions {
 public:
  /// None.
  field_reductions() = default;
  /// After every `every` steps of a runner that has done `steps_done`. Throws input_error for a
  /// field that the definition has not, and for what cannot be.
  field_reductions(const device& where, const stencil_definition& definition, std::size_t cells,
                   std::vector<field_reduction> list, int every, std::int64_t steps_done);

  bool empty() const { return list_.empty(); }
  /// May a run end before its last step?
  bool may_end() const {
    return std::ranges::any_of(list_, [](const auto& r) { return r.until.has_value(); });
  }
  /// Steps, up to `left`, that may be done without a look at the fields.
  int piece(std::int64_t steps_done, int left) const;
  /// To be called before each piece: keeps what the step before a reduction leaves, for changes.
  void before(std::int64_t steps_done, const field_access<T>& fields);
  /// To be called after each piece: does the reductions if they are due. Why the run ends, if it
  /// does.
  std::optional<stencil_stop> after(std::int64_t steps_done, const field_access<T>& fields);

  const std::vector<field_reduction_row>& rows() const { return rows_; }
  int every() const { return every_; }
  double seconds() const { return seconds_; }  ///< that reductions have taken
  /// The quantities, with the values of the last row.
  std::vector<reduced_field> last() const;

 private:
  bool is_due(std::int64_t steps_done) const {
    return steps_done > first_step_ && (steps_done - first_step_) % every_ == 0;
  }

  double reduce(reduction operation);

  device where_ = device::cpu(1);
  std::optional<reducer> reducer_;
  std::vector<std::string> names_;
  std::vector<field_reduction> list_;
  int every_ = 1;
  std::int64_t first_step_ = 0;
  std::vector<buffer<T>> old_;  ///< cells before the step, where changes are wanted
  buffer<T> now_;
  std::vector<field_reduction_row> rows_;
  double seconds_ = 0;
};

}  // namespace dwell
