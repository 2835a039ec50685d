// SPDX-License-Identifier: MIT
// The public runner, which forwards to its session.
#include "dwell/stencil/field_runner.hpp"

#include <fmt/format.h>

#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/solvers/stencil/fields/field_session.hpp"

namespace dwell {

template <class T>
field_runner<T>::field_runner(const device& where, const stencil_definition& definition,
                              const std::vector<std::int64_t>& size, const field_options& options)
    : session_(std::make_unique<field_session<T>>(nullptr, where, definition, size, options)) {}
template <class T>
field_runner<T>::field_runner(const built_row_kernels& kernels, const device& where,
                              const stencil_definition& definition,
                              const std::vector<std::int64_t>& size, const field_options& options)
    : session_(std::make_unique<field_session<T>>(&kernels, where, definition, size, options)) {}
template <class T>
field_runner<T>::field_runner(field_runner&&) noexcept = default;
template <class T>
field_runner<T>& field_runner<T>::operator=(field_runner&&) noexcept = default;
template <class T>
field_runner<T>::~field_runner() = default;

template <class T>
void field_runner<T>::set_field(int i, std::span<const T> cells) {
  session_->set_field(i, cells);
}
template <class T>
void field_runner<T>::set_field(int i, device_span<const T> cells) {
  session_->set_field(i, cells);
}
template <class T>
void field_runner<T>::set_coefficient(int i, std::span<const T> cells) {
  session_->set_coefficient(i, cells);
}
template <class T>
void field_runner<T>::set_coefficient(int i, device_span<const T> cells) {
  session_->set_coefficient(i, cells);
}
template <class T>
void field_runner<T>::set_parameter(int i, double value) {
  session_->set_parameter(i, {&value, 1}, false);
}
template <class T>
void field_runner<T>::set_parameter(int i, std::span<const double> values) {
  session_->set_parameter(i, values, true);
}
template <class T>
void field_runner<T>::set_sources(int field, std::span<const std::int64_t> cells,
                                  std::span<const T> series) {
  session_->set_sources(field, cells, series);
}
template <class T>
int field_runner<T>::set_receivers(int field, std::span<const std::int64_t> cells) {
  return session_->set_receivers(field, cells);
}
template <class T>
void field_runner<T>::clear_points() {
  session_->clear_points();
}
template <class T>
std::span<const T> field_runner<T>::record(int number) const {
  return session_->record(number);
}
template <class T>
void field_runner<T>::set_reductions(std::vector<field_reduction> list, int every) {
  session_->set_reductions(std::move(list), every);
}
template <class T>
const std::vector<field_reduction_row>& field_runner<T>::reductions() const {
  return session_->reductions();
}
template <class T>
field_outcome field_runner<T>::run(int steps) {
  return session_->run(steps);
}
template <class T>
field_outcome field_runner<T>::run(int steps, int every,
                                   const progress_function<field_progress>& look) {
  if (every < 1) throw input_error(fmt::format("every: expected 1 step or more, found {}", every));
  return session_->run(steps, every, look);
}
template <class T>
void field_runner<T>::field(int i, std::span<T> cells) const {
  session_->field(i, cells);
}
template <class T>
void field_runner<T>::field(int i, device_span<T> cells) const {
  session_->field(i, cells);
}
template <class T>
const stencil_definition& field_runner<T>::definition() const {
  return session_->definition();
}
template <class T>
field_report field_runner<T>::report() const {
  return session_->report();
}

template class field_runner<double>;
template class field_runner<float>;

}  // namespace dwell
