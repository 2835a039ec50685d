// SPDX-License-Identifier: MIT
// The arrays of a run in memory, and which of them each field has. A stage gives fields other
// arrays: computed ones a free array or that of a field which has no more use for it, renamed ones
// that of another field. Which array is whose follows from the number of stages done, so threads
// work it out each for itself.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"
#include "dwell/execution/stencil/fields/field_rows.hpp"

namespace dwell {

/// Cells from a row to the next: whole cache lines, and an odd number of lines for long rows, which
/// would otherwise share few sets of a cache.
template <class T>
std::int64_t row_pitch(std::int64_t cells);

/// Bytes of a line of a GPU's caches, with which rows begin there.
inline constexpr std::size_t gpu_line = 128;

/// Whose each array is.
struct field_places {
  std::array<int, stencil_definition::most_fields> of_field{};
  std::array<int, stencil_definition::most_fields> free{};  ///< the last one is taken first
  int free_arrays = 0;
};

/// Arrays of fields, with those that a stage needs free, and of fields and coefficients together.
int changing_arrays(const stencil_definition& definition);
inline int arrays_of(const stencil_definition& definition) {
  return changing_arrays(definition) + definition.coefficients();
}

template <class T>
class field_memory {
 public:
  /// Coefficients and fields, all zero. Each of `threads` parts of the rows is touched first by a
  /// thread of its own. Throws device_error if there is too little memory.
  field_memory(const field_domain& domain, int threads);
  /// In a GPU's memory, in its stream, with at least `free_arrays` arrays that are no field's. Rows
  /// begin with whole units of its copies. Throws device_error if there is too little memory.
  field_memory(const field_domain& domain, const device& where, int free_arrays);

  std::int64_t pitch() const { return pitch_; }
  /// All arrays, without the padding of rows.
  std::size_t bytes() const {
    return arrays_.size() * static_cast<std::size_t>(domain_.size().cells()) * sizeof(T);
  }

  field_places start() const;
  /// The memory of a stage; `places` is then what it is after the stage. Parameters are not set.
  stage_memory<T> next(const field_stage& stage, field_places& places) const;

  T* field(const field_places& places, int field) const {
    return array(places.of_field[static_cast<std::size_t>(field)]);
  }
  T* coefficient(int i) const { return array(changing_ + i); }

  /// From and to arrays of a caller, in the host's memory, in C order without padding.
  void copy_in(const T* cells, T* array);
  void copy_out(const T* array, T* cells) const;
  /// From an array of a caller in the memory of the same GPU, in the order of its stream.
  void copy_in_there(const T* cells, T* array);
  /// All cells of an array without padding, in memory that its device's teams can use.
  void pack(const T* array, T* cells) const;
  /// Is it a GPU's?
  bool on_gpu() const { return where_.has_value(); }

 private:
  struct release {
    std::size_t alignment;
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{alignment}); }
  };
  T* array(int i) const { return arrays_[static_cast<std::size_t>(i)]; }
  std::size_t place_of(const T* array) const;

  const field_domain& domain_;
  std::optional<device> where_;  ///< a GPU
  std::int64_t pitch_;
  int changing_ = 0;  ///< arrays of fields; those of coefficients follow
  std::vector<std::unique_ptr<T, release>> blocks_;
  std::vector<buffer<T>> on_device_;  ///< in place of blocks
  std::vector<T*> arrays_;
};

}  // namespace dwell
