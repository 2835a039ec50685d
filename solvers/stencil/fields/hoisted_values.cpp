// SPDX-License-Identifier: MIT
// A step of a definition of its own, whose fields are the values, on the same device.
#include "dwell/solvers/stencil/fields/hoisted_values.hpp"

#include <algorithm>

#include "dwell/solvers/stencil/fields/field_session.hpp"

namespace dwell {

template <class T>
hoisted_values<T>::hoisted_values(const hoisting& made, const device& where,
                                  const field_domain& domain)
    : made_(made), where_(where), domain_(domain) {
  options_.boundaries = {boundary_of_values(domain)};
  options_.hoist = "never";
  if (where.on() == backend::cpu) {
    options_.executor = "persistent";
    options_.kernel = "interpreted";  // once: no compiler is worth it
  } else {
    options_.executor = "host-loop";
  }
  int coefficients = 0;
  for (const hoisted_values_definition& v : made.values)
    for (const int c : v.reads) coefficients = std::max(coefficients, c + 1);
  kept_.resize(static_cast<std::size_t>(coefficients));
  for (const hoisted_values_definition& v : made.values)
    for (const int c : v.reads)
      if (buffer<T>& b = kept_[static_cast<std::size_t>(c)]; b.size() == 0)
        b = buffer<T>(where, static_cast<std::size_t>(domain.size().cells()));
}

template <class T>
buffer<T>* hoisted_values<T>::kept(int coefficient) {
  if (coefficient >= static_cast<int>(kept_.size())) return nullptr;
  buffer<T>& b = kept_[static_cast<std::size_t>(coefficient)];
  return b.size() > 0 ? &b : nullptr;
}
template <class T>
void hoisted_values<T>::set(int coefficient, std::span<const T> cells) {
  buffer<T>* const b = kept(coefficient);
  if (!b) return;
  b->upload(cells);
  settled_ = false;
}
template <class T>
void hoisted_values<T>::set(int coefficient, device_span<const T> cells) {
  buffer<T>* const b = kept(coefficient);
  if (!b) return;
  memory_of(where_.on()).copy(where_, b->data(), cells.data, cells.size * sizeof(T));
  settled_ = false;
}

template <class T>
int hoisted_values<T>::place_of(int coefficient) const {
  const auto found = std::ranges::find(made_.left, coefficient);
  return found == made_.left.end() ? -1 : static_cast<int>(found - made_.left.begin());
}

template <class T>
void hoisted_values<T>::settle(field_memory<T>& memory) {
  if (settled_) return;
  const std::vector<std::int64_t> size(domain_.size().n.begin() + domain_.size().slowest(),
                                       domain_.size().n.end());
  const auto cells = static_cast<std::size_t>(domain_.size().cells());
  const bool on_cpu = where_.on() == backend::cpu;
  buffer<T> packed(where_, cells, fresh::unset);
  int place = static_cast<int>(made_.left.size());
  for (const hoisted_values_definition& v : made_.values) {
    field_session<T> once(nullptr, where_, v.definition, size, options_);
    for (std::size_t k = 0; k < v.reads.size(); ++k) {
      const T* const from = kept_[static_cast<std::size_t>(v.reads[k])].data();
      if (on_cpu)
        once.set_coefficient(static_cast<int>(k), std::span<const T>(from, cells));
      else
        once.set_coefficient(static_cast<int>(k),
                             device_span<const T>{from, cells, where_.ordinal()});
    }
    once.run(1);
    for (int f = 0; f < v.definition.fields(); ++f, ++place) {
      T* const to = memory.coefficient(place);
      if (on_cpu) {
        once.field(f, std::span<T>(packed.data(), cells));
        memory.copy_in(packed.data(), to);
      } else {
        once.field(f, device_span<T>{packed.data(), cells, where_.ordinal()});
        memory.copy_in_there(packed.data(), to);
      }
    }
  }
  settled_ = true;
}

template <class T>
std::size_t hoisted_values<T>::bytes() const {
  std::size_t n = 0;
  for (const buffer<T>& b : kept_) n += b.size() * sizeof(T);
  return n;
}

template class hoisted_values<double>;
template class hoisted_values<float>;

}  // namespace dwell
