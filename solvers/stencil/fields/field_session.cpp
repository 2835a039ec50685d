// SPDX-License-Identifier: MIT
// Set-up, values, runs, report.
#include "dwell/solvers/stencil/fields/field_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/execution/device/array_place.hpp"

namespace dwell {
template <class T>
field_session<T>::field_session(const built_row_kernels* built, const device& where,
                                const stencil_definition& definition,
                                const std::vector<std::int64_t>& size, const field_options& options)
    : has_stream_(where.stream() != nullptr),
      queue_(where),
      facts_(where.facts()),
      options_(options),
      given_(definition),
      hoisting_(choose_hoisting(given_, checked_field_size(definition.dims(), size), sizeof(T),
                                options_, facts_, built != nullptr)),
      domain_(hoisting_.steps(given_), checked_field_size(definition.dims(), size),
              options.boundaries),
      executor_(where.on() == backend::cpu ? fields_on_cpu<T>(built, facts_, domain_, options_)
                                           : fields_on_gpu<T>(queue_.where(), domain_, options_)),
      places_(memory().start()),
      parameters_(static_cast<std::size_t>(definition.parameters())),
      schedule_(executor_->plan(demand(false))) {
  if (hoisting_.made) values_.emplace(*hoisting_.made, queue_.where(), domain_);
}

template <class T>
T* field_session<T>::require_field(int i, std::size_t cells) const {
  const auto& d = definition();
  if (i < 0 || i >= d.fields())
    throw input_error(fmt::format("field: {} has {}, found number {}", d.name(), d.fields(), i));
  if (cells != static_cast<std::size_t>(domain_.size().cells()))
    throw input_error(fmt::format("field '{}': expected {} cells, found {}",
                                  d.tape().fields[static_cast<std::size_t>(i)],
                                  domain_.size().cells(), cells));
  return memory().field(places_, i);
}

template <class T>
void field_session<T>::require_coefficient(int i, std::size_t cells) const {
  const auto& d = definition();
  if (i < 0 || i >= d.coefficients())
    throw input_error(
        fmt::format("coefficient: {} has {}, found number {}", d.name(), d.coefficients(), i));
  if (cells != static_cast<std::size_t>(domain_.size().cells()))
    throw input_error(fmt::format("coefficient '{}': expected {} cells, found {}",
                                  d.tape().coefficients[static_cast<std::size_t>(i)],
                                  domain_.size().cells(), cells));
}

template <class T>
void field_session<T>::copy_in(std::span<const T> cells, T* array) {
  memory().copy_in(cells.data(), array);
}
template <class T>
void field_session<T>::copy_in(device_span<const T> cells, T* array) {
  memory().copy_in_there(cells.data, array);
}

template <class T>
void field_session<T>::set_field(int i, std::span<const T> cells) {
  T* const array = require_field(i, cells.size());
  const std::string& name = definition().tape().fields[static_cast<std::size_t>(i)];
  require_on_host({name.c_str(), cells.data(), cells.size_bytes()});
  copy_in(cells, array);
  fixed_cells_differ_.reset();
}
template <class T>
void field_session<T>::set_field(int i, device_span<const T> cells) {
  T* const array = require_field(i, cells.size);
  const std::string& name = definition().tape().fields[static_cast<std::size_t>(i)];
  require_on_device(queue_.where(), name.c_str(), cells);
  copy_in(cells, array);
  finish_copy();
  fixed_cells_differ_.reset();
}

template <class T>
template <class Cells>
void field_session<T>::give_coefficient(int i, Cells cells) {
  const int place = values_ ? values_->place_of(i) : i;
  if (place >= 0) copy_in(cells, memory().coefficient(place));
  if (values_) values_->set(i, cells);
}
template <class T>
void field_session<T>::set_coefficient(int i, std::span<const T> cells) {
  require_coefficient(i, cells.size());
  const std::string& name = definition().tape().coefficients[static_cast<std::size_t>(i)];
  require_on_host({name.c_str(), cells.data(), cells.size_bytes()});
  give_coefficient(i, cells);
}
template <class T>
void field_session<T>::set_coefficient(int i, device_span<const T> cells) {
  require_coefficient(i, cells.size);
  const std::string& name = definition().tape().coefficients[static_cast<std::size_t>(i)];
  require_on_device(queue_.where(), name.c_str(), cells);
  give_coefficient(i, cells);
  finish_copy();
}

template <class T>
void field_session<T>::field(int i, std::span<T> cells) const {
  const T* const array = require_field(i, cells.size());
  require_on_host({definition().tape().fields[static_cast<std::size_t>(i)].c_str(), cells.data(),
                   cells.size_bytes()});
  memory().copy_out(array, cells.data());
}
template <class T>
void field_session<T>::field(int i, device_span<T> cells) const {
  const T* const array = require_field(i, cells.size);
  require_on_device(queue_.where(), definition().tape().fields[static_cast<std::size_t>(i)].c_str(),
                    cells);
  memory().pack(array, cells.data);
  finish_copy();
}

template <class T>
void field_session<T>::set_parameter(int i, std::span<const double> values, bool table) {
  const auto& d = definition();
  if (i < 0 || i >= d.parameters())
    throw input_error(
        fmt::format("parameter: {} has {}, found number {}", d.name(), d.parameters(), i));
  if (values.empty())
    throw input_error(fmt::format("parameter '{}': expected at least one value, found none",
                                  d.tape().parameters[static_cast<std::size_t>(i)]));
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw input_error(fmt::format("parameter '{}': expected finite numbers, found {}{}",
                                    d.tape().parameters[static_cast<std::size_t>(i)], values[k],
                                    table ? fmt::format(" for step {}", k + 1) : std::string()));
  parameters_[static_cast<std::size_t>(i)] = {{values.begin(), values.end()}, table, steps_done_};
}

template <class T>
void field_session<T>::set_sources(int field, std::span<const std::int64_t> cells,
                                   std::span<const T> series) {
  require_field(field, static_cast<std::size_t>(domain_.size().cells()));
  source_list<T> list{field,
                      field_points_of(cells, domain_.size(), "sources"),
                      {series.begin(), series.end()},
                      steps_done_};
  const std::int64_t rows = domain_.size().n[1];
  for (const field_point& p : list.points)
    if (domain_.is_fixed(p.row / rows, p.row % rows, p.x))
      throw input_error(fmt::format("sources: cell {} is fixed by the boundary", p.place));
  if (list.points.empty() ? !series.empty() : series.size() % list.points.size() != 0)
    throw input_error(
        fmt::format("sources: expected a value for each of {} cells in every step, found {} "
                    "in all",
                    list.points.size(), series.size()));
  if (list.points.empty()) return;
  points_.sources.push_back(std::move(list));
  ++points_.revision;
}

template <class T>
int field_session<T>::set_receivers(int field, std::span<const std::int64_t> cells) {
  require_field(field, static_cast<std::size_t>(domain_.size().cells()));
  points_.receivers.push_back(
      {field, field_points_of(cells, domain_.size(), "receivers"), {}, steps_done_});
  ++points_.revision;
  return static_cast<int>(points_.receivers.size()) - 1;
}

template <class T>
std::span<const T> field_session<T>::record(int number) const {
  const int count = static_cast<int>(points_.receivers.size());
  if (number < 0 || number >= count)
    throw input_error(
        fmt::format("record: there are {} lists of receivers, found number {}", count, number));
  return points_.receivers[static_cast<std::size_t>(number)].record;
}

template <class T>
void field_session<T>::require_steps(int steps) const {
  if (steps < 0) throw input_error(fmt::format("steps: expected at least 0, found {}", steps));
  const auto require = [&](std::int64_t there, std::int64_t first, const std::string& what) {
    const std::int64_t left = there - (steps_done_ - first);
    if (steps > left)
      throw input_error(
          fmt::format("{}: expected a value for each of {} steps, found {}", what, steps, left));
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].table)
      require(static_cast<std::int64_t>(parameters_[i].values.size()), parameters_[i].first_step,
              fmt::format("parameter '{}'", definition().tape().parameters[i]));
  for (const source_list<T>& list : points_.sources)
    require(list.steps(), list.first_step,
            fmt::format("sources of '{}'",
                        definition().tape().fields[static_cast<std::size_t>(list.field)]));
}

template <class T>
field_demand<T> field_session<T>::demand(bool fixed_cells_differ) const {
  const bool change = std::ranges::any_of(parameters_, [](const auto& p) { return p.table; });
  return {fixed_cells_differ, change, &points_};
}

template <class T>
field_run<T> field_session<T>::prepared(int steps) {
  field_run<T> r{memory(), points_, {}, demand(false).parameters_change, {}, steps_done_, steps};
  for (int step = 0; step < (r.parameters_change ? steps : 1); ++step)
    for (const parameter_values& p : parameters_)
      r.parameters.push_back(static_cast<T>(
          p.table ? p.values[static_cast<std::size_t>(steps_done_ - p.first_step + step)]
                  : p.values[0]));
  return r;
}

template <class T>
void field_session<T>::set_reductions(std::vector<field_reduction> list, int every) {
  reductions_ = field_reductions<T>(queue_.where(), definition(),
                                    static_cast<std::size_t>(domain_.size().cells()),
                                    std::move(list), every, steps_done_);
}

template <class T>
field_run_end field_session<T>::run_piece(int steps, const run_control& control) {
  if (!fixed_cells_differ_) fixed_cells_differ_ = executor_->fixed_cells_differ(places_);
  const bool differ = *fixed_cells_differ_;
  schedule_ = executor_->plan(demand(differ));
  field_run<T> r = prepared(steps);
  if (differ) {
    r.fixed_cells.resize(static_cast<std::size_t>(definition().fields()));
    for (const field_stage& stage : domain_.definition().stages())
      for (const renamed_output& renamed : stage.renamed) {
        auto& cells = r.fixed_cells[static_cast<std::size_t>(renamed.field)];
        cells.resize(static_cast<std::size_t>(domain_.size().cells()));
        memory().copy_out(memory().field(places_, renamed.field), cells.data());
      }
  }
  const auto keep_records = [&](std::int64_t done) {
    for (receiver_list<T>& list : points_.receivers)
      list.record.resize(static_cast<std::size_t>(done - list.first_step) * list.points.size());
  };
  keep_records(steps_done_ + steps);
  const field_run_end end = executor_->run(schedule_, r, places_, control);
  places_ = end.places;
  steps_done_ += end.steps;
  keep_records(steps_done_);
  return end;
}

template <class T>
field_outcome field_session<T>::run(int steps, int every,
                                    const progress_function<field_progress>& look) {
  require_steps(steps);
  if (values_ && steps > 0) values_->settle(memory());
  const double begin = seconds_on_host();
  double last_published = begin;
  field_outcome done;
  run_control control{options_.interrupt, {}, options_.progress_interval};
  if (options_.progress)
    control.progress = [&](int step, double) {
      last_published = seconds_on_host();
      return options_.progress(field_progress{done.steps + step, last_published - begin});
    };
  // Pieces may be shorter than what the threads' watch waits for.
  const auto asked_to_stop = [&] {
    if (options_.interrupt && options_.interrupt->load()) return true;
    return control.progress && seconds_on_host() - last_published >= options_.progress_interval &&
           !control.progress(0, 0.0);
  };
  const field_access<T> fields{[&](int f, T* to) { memory().pack(memory().field(places_, f), to); },
                               [&](T* from, const T* cells) {
                                 executor_->subtract(
                                     from, cells, static_cast<std::size_t>(domain_.size().cells()));
                               }};
  std::optional<stencil_stop> stop;
  while (!stop && done.steps < steps) {
    const int to_look = look ? every - done.steps % every : steps;
    const int piece = std::min(to_look, reductions_.piece(steps_done_, steps - done.steps));
    reductions_.before(steps_done_, fields);
    const field_run_end end = run_piece(piece, control);
    done.steps += end.steps;
    done.seconds += end.seconds;
    if (end.steps < piece)
      stop = stencil_stop::interrupted;
    else
      stop = reductions_.after(steps_done_, fields);
    if (look && end.steps == to_look && !look(field_progress{done.steps, done.seconds}))
      stop = stop.value_or(stencil_stop::interrupted);
    if (!stop && done.steps < steps && asked_to_stop()) stop = stencil_stop::interrupted;
  }
  const bool limited = reductions_.may_end() && steps > 0;
  done.stopped = stop.value_or(limited ? stencil_stop::step_limit : stencil_stop::steps_done);
  done.interrupted = done.stopped == stencil_stop::interrupted;
  return last_ = done;
}

template <class T>
field_report field_session<T>::report() const {
  field_report r;
  r.definition = definition().name();
  const field_kernel_facts kernel = executor_->kernel();
  r.kernel = kernel.name;
  r.kernel_reason = kernel.reason;
  r.compile_seconds = kernel.compile_seconds;
  r.executor = schedule_.executor;
  r.reason = schedule_.reason;
  r.device = facts_.name;
  r.backend = to_string(facts_.on);
  r.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  r.size.assign(domain_.size().n.begin() + domain_.size().slowest(), domain_.size().n.end());
  r.threads = schedule_.threads;
  r.depth = std::max(schedule_.depth, 1);
  r.cells = domain_.changing_cells();
  r.bytes_per_step = bytes_of(domain_, sizeof(T)).step;
  r.memory = memory().bytes() + (values_ ? values_->bytes() : 0);
  r.hoisted = hoisting_.made ? hoisting_.made->count() : 0;
  r.total_steps = steps_done_;
  r.steps = last_.steps;
  r.seconds = last_.seconds;
  r.stopped = last_.stopped;
  r.reductions = reductions_.last();
  r.reduce_every = reductions_.empty() ? 0 : reductions_.every();
  r.reduce_seconds = reductions_.seconds();
  if (last_.seconds > 0)
    r.cells_per_second = static_cast<double>(r.cells) * last_.steps / last_.seconds;
  r.finite = executor_->finite(places_);
  return r;
}

template class field_session<double>;
template class field_session<float>;

}  // namespace dwell
