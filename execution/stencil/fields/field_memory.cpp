// SPDX-License-Identifier: MIT
// Bytes of a field, and the check against what is free.
#include "dwell/execution/stencil/fields/field_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell {
namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;

}  // namespace

template <class T>
std::int64_t row_pitch(std::int64_t cells) {
  constexpr std::int64_t per_line = line / sizeof(T);
  const std::int64_t lines = (cells + per_line - 1) / per_line;
  return (lines >= 16 ? lines | 1 : lines) * per_line;
}

int changing_arrays(const stencil_definition& definition) {
  std::ptrdiff_t fresh = 0;
  for (const field_stage& stage : definition.stages())
    fresh = std::max(fresh, std::ranges::count_if(stage.computed,
                                                  [](const auto& o) { return o.in_place_of < 0; }));
  return definition.fields() + static_cast<int>(fresh);
}

template <class T>
field_memory<T>::field_memory(const field_domain& domain, int threads)
    : domain_(domain),
      pitch_(row_pitch<T>(domain.size().n[2])),
      changing_(changing_arrays(domain.definition())) {
  const std::int64_t rows = domain.size().rows();
  const auto cells = static_cast<std::size_t>(rows * pitch_);
  const int arrays = arrays_of(domain.definition());
  for (int k = 0; k < arrays; ++k) {
    // Arrays begin in different sets of a cache, a line after what they lie in and end one before.
    const std::size_t guard = line / sizeof(T);
    const std::size_t offset = (1 + static_cast<std::size_t>(k % 8) * 5) * guard;
    const std::size_t bytes = (cells + offset + guard) * sizeof(T);
    const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : line;
    try {
      blocks_.emplace_back(static_cast<T*>(::operator new (bytes, std::align_val_t{alignment})),
                           release{alignment});
    } catch (const std::bad_alloc&) {
      throw device_error(fmt::format("too little memory: {} arrays of {} each", arrays,
                                     byte_text(static_cast<double>(cells * sizeof(T)))));
    }
    // Fewer entries of the translation buffer; if there are no pages of this size, nothing is lost.
    if (alignment == huge_page)
      static_cast<void>(::madvise(blocks_.back().get(), bytes, MADV_HUGEPAGE));
    arrays_.push_back(blocks_.back().get() + offset);
  }
  for_parts(threads, [&](int part) {
    const auto [first, last] = piece(rows, part, threads);
    for (T* a : arrays_) std::fill(a + first * pitch_, a + last * pitch_, T(0));
  });
}

namespace {
/// Whole lines of a GPU's cache.
template <class T>
std::int64_t gpu_pitch(std::int64_t cells) {
  constexpr std::int64_t per_line = gpu_line / sizeof(T);
  return (cells + per_line - 1) / per_line * per_line;
}
}  // namespace

template <class T>
field_memory<T>::field_memory(const field_domain& domain, const device& where, int free_arrays)
    : domain_(domain),
      where_(where),
      pitch_(gpu_pitch<T>(domain.size().n[2])),
      changing_(std::max(domain.definition().fields() + free_arrays,
                         changing_arrays(domain.definition()))) {
  const auto cells = static_cast<std::size_t>(domain.size().rows() * pitch_);
  for (int k = 0; k < changing_ + domain.definition().coefficients(); ++k) {
    on_device_.emplace_back(where, cells);
    arrays_.push_back(on_device_.back().data());
  }
}

template <class T>
std::size_t field_memory<T>::place_of(const T* array) const {
  return static_cast<std::size_t>(std::ranges::find(arrays_, array) - arrays_.begin());
}

template <class T>
field_places field_memory<T>::start() const {
  field_places p;
  const int fields = domain_.definition().fields();
  for (int f = 0; f < fields; ++f) p.of_field[static_cast<std::size_t>(f)] = f;
  for (int k = changing_ - 1; k >= fields; --k)
    p.free[static_cast<std::size_t>(p.free_arrays++)] = k;
  return p;
}

template <class T>
stage_memory<T> field_memory<T>::next(const field_stage& stage, field_places& places) const {
  const int fields = domain_.definition().fields();
  const field_places before = places;
  const auto held = [](field_places& p, int field) -> int& {
    return p.of_field[static_cast<std::size_t>(field)];
  };
  const auto old = [&](int field) { return before.of_field[static_cast<std::size_t>(field)]; };
  stage_memory<T> m;
  for (int f = 0; f < fields; ++f) m.in[f] = array(old(f));
  for (int c = 0; c < domain_.definition().coefficients(); ++c) m.in[fields + c] = coefficient(c);
  for (std::size_t k = 0; k < stage.computed.size(); ++k) {
    const computed_output& o = stage.computed[k];
    const int to = o.in_place_of >= 0 ? old(o.in_place_of)
                                      : places.free[static_cast<std::size_t>(--places.free_arrays)];
    m.out[k] = array(to);
    held(places, o.field) = to;
  }
  for (const renamed_output& r : stage.renamed) held(places, r.field) = old(r.from);
  for (int f = 0; f < fields; ++f) {
    const auto last = places.of_field.begin() + fields;
    if (std::find(places.of_field.begin(), last, old(f)) == last)
      places.free[static_cast<std::size_t>(places.free_arrays++)] = old(f);
  }
  return m;
}

template <class T>
void field_memory<T>::copy_in(const T* cells, T* array) {
  const std::int64_t n = domain_.size().n[2];
  if (on_gpu()) {
    const std::span<const T> packed(cells, static_cast<std::size_t>(domain_.size().cells()));
    on_device_[place_of(array)].upload_rows(packed, static_cast<std::size_t>(n),
                                            static_cast<std::size_t>(pitch_), 0);
    return;
  }
  for (std::int64_t row = 0; row < domain_.size().rows(); ++row)
    std::copy_n(cells + row * n, n, array + row * pitch_);
}

template <class T>
void field_memory<T>::copy_out(const T* array, T* cells) const {
  const std::int64_t n = domain_.size().n[2];
  if (on_gpu()) {
    const std::span<T> packed(cells, static_cast<std::size_t>(domain_.size().cells()));
    on_device_[place_of(array)].download_rows(packed, static_cast<std::size_t>(n),
                                              static_cast<std::size_t>(pitch_), 0);
    return;
  }
  for (std::int64_t row = 0; row < domain_.size().rows(); ++row)
    std::copy_n(array + row * pitch_, n, cells + row * n);
}

template <class T>
void field_memory<T>::copy_in_there(const T* cells, T* array) {
  const auto row = static_cast<std::size_t>(domain_.size().n[2]) * sizeof(T);
  memory_of(backend::cuda)
      .copy_box(*where_, {array, static_cast<std::size_t>(pitch_) * sizeof(T), cells, row, row,
                          static_cast<std::size_t>(domain_.size().rows())});
}

template <class T>
void field_memory<T>::pack(const T* array, T* cells) const {
  if (!on_gpu()) return copy_out(array, cells);
  const auto row = static_cast<std::size_t>(domain_.size().n[2]) * sizeof(T);
  memory_of(backend::cuda)
      .copy_box(*where_, {cells, row, array, static_cast<std::size_t>(pitch_) * sizeof(T), row,
                          static_cast<std::size_t>(domain_.size().rows())});
}

template std::int64_t row_pitch<double>(std::int64_t);
template std::int64_t row_pitch<float>(std::int64_t);
template class field_memory<double>;
template class field_memory<float>;

}  // namespace dwell
