// SPDX-License-Identifier: MIT
// Checks, copies, numbers.
#include "dwell/solvers/stencil/fields/field_reductions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"

namespace dwell {

template <class T>
field_reductions<T>::field_reductions(const device& where, const stencil_definition& definition,
                                      std::size_t cells, std::vector<field_reduction> list,
                                      int every, std::int64_t steps_done)
    : where_(where), list_(std::move(list)), every_(every), first_step_(steps_done) {
  if (every < 1)
    throw input_error(fmt::format("reductions: expected every 1 step or more, found {}", every));
  old_.resize(static_cast<std::size_t>(definition.fields()));
  for (const field_reduction& r : list_) {
    if (r.field < 0 || r.field >= definition.fields())
      throw input_error(fmt::format("reductions: {} has {} fields, found number {}",
                                    definition.name(), definition.fields(), r.field));
    const std::string name =
        fmt::format("{}({})", to_string(r.quantity),
                    definition.tape().fields[static_cast<std::size_t>(r.field)]);
    if (std::ranges::find(names_, name) != names_.end())
      throw input_error(fmt::format("reductions: expected each one once, found {} twice", name));
    if (r.until && !std::isfinite(*r.until))
      throw input_error(
          fmt::format("reductions: expected a finite number at which {} ends a run, "
                      "found {}",
                      name, *r.until));
    names_.push_back(name);
    buffer<T>& old = old_[static_cast<std::size_t>(r.field)];
    if (r.quantity.of_change && old.size() == 0) old = buffer<T>(where, cells, fresh::unset);
  }
  if (list_.empty()) return;
  now_ = buffer<T>(where, cells, fresh::unset);
  reducer_.emplace(where);
}

template <class T>
int field_reductions<T>::piece(std::int64_t steps_done, int left) const {
  if (list_.empty()) return left;
  const auto due = static_cast<int>(every_ - (steps_done - first_step_) % every_);
  const bool changes =
      std::ranges::any_of(list_, [](const auto& r) { return r.quantity.of_change; });
  return std::min(left, changes && due > 1 ? due - 1 : due);
}

template <class T>
void field_reductions<T>::before(std::int64_t steps_done, const field_access<T>& fields) {
  if (list_.empty() || !is_due(steps_done + 1)) return;
  const double begin = seconds_on_host();
  for (std::size_t f = 0; f < old_.size(); ++f)
    if (old_[f].size() > 0) fields.copy(static_cast<int>(f), old_[f].data());
  seconds_ += seconds_on_host() - begin;
}

template <class T>
std::optional<stencil_stop> field_reductions<T>::after(std::int64_t steps_done,
                                                       const field_access<T>& fields) {
  if (list_.empty() || !is_due(steps_done)) return std::nullopt;
  const double begin = seconds_on_host();
  field_reduction_row row{steps_done, std::vector<double>(list_.size())};
  for (std::size_t f = 0; f < old_.size(); ++f) {
    const auto each = [&](bool of_change) {
      for (std::size_t k = 0; k < list_.size(); ++k)
        if (list_[k].field == static_cast<int>(f) && list_[k].quantity.of_change == of_change)
          row.values[k] = reduce(list_[k].quantity.operation);
    };
    if (std::ranges::none_of(list_, [&](const auto& r) { return r.field == static_cast<int>(f); }))
      continue;
    fields.copy(static_cast<int>(f), now_.data());
    each(false);
    if (old_[f].size() == 0) continue;
    fields.subtract(now_.data(), old_[f].data());
    each(true);
  }
  rows_.push_back(std::move(row));
  seconds_ += seconds_on_host() - begin;
  std::optional<stencil_stop> stop;
  for (std::size_t k = 0; k < list_.size() && !stop; ++k) {
    if (!list_[k].until) continue;
    const double value = rows_.back().values[k];
    if (std::isnan(value))
      stop = stencil_stop::not_finite;
    else if (value <= *list_[k].until)
      stop = stencil_stop::converged;
  }
  return stop;
}

template <class T>
double field_reductions<T>::reduce(reduction operation) {
  if (where_.on() == backend::cpu)
    return reducer_->reduce(std::span<const T>(now_.data(), now_.size()), operation);
  return reducer_->reduce(device_span<const T>{now_.data(), now_.size(), where_.ordinal()},
                          operation);
}

template <class T>
std::vector<reduced_field> field_reductions<T>::last() const {
  std::vector<reduced_field> all;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    reduced_field one{names_[k], std::nullopt, list_[k].until};
    if (!rows_.empty()) one.last = rows_.back().values[k];
    all.push_back(std::move(one));
  }
  return all;
}

template class field_reductions<double>;
template class field_reductions<float>;

}  // namespace dwell
