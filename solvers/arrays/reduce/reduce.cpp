// SPDX-License-Identifier: MIT
// Checks, memory, one backend or the other.
#include "dwell/arrays/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/team/thread_pool.hpp"
#include "dwell/solvers/arrays/reduce/reduce_runs.hpp"
#include "dwell/solvers/arrays/reduce/reduce_steps.hpp"

namespace dwell {
namespace {

struct named_reduction {
  reduction what;
  const char* name;
};
constexpr named_reduction all_reductions[] = {
    {reduction::sum, "sum"},     {reduction::min, "min"},     {reduction::max, "max"},
    {reduction::norm1, "norm1"}, {reduction::norm2, "norm2"}, {reduction::norm_max, "norm-max"}};

/// f(operation) with that of the reduction.
template <class F>
auto with_operation(reduction r, F&& f) {
  switch (r) {
    case reduction::sum:
      return f(reduce_step::sum{});
    case reduction::min:
      return f(reduce_step::least{});
    case reduction::max:
      return f(reduce_step::greatest{});
    case reduction::norm1:
      return f(reduce_step::magnitudes{});
    case reduction::norm2:
      return f(reduce_step::squares{});
    case reduction::norm_max:
      break;
  }
  return f(reduce_step::largest_magnitude{});
}

void require_elements(reduction r, std::size_t n) {
  if (n == 0 && (r == reduction::min || r == reduction::max))
    throw input_error(fmt::format("{}: expected at least one element, found none", to_string(r)));
}

void require_same_size(std::size_t x, std::size_t y) {
  if (x != y) throw input_error(fmt::format("y: expected {} elements as x has, found {}", x, y));
}

template <class T>
void require_on_host(const char* name, std::span<const T> v) {
  dwell::require_on_host(named_memory{name, v.data(), v.size_bytes()});
}

}  // namespace

std::string to_string(reduction r) {
  for (const auto& [what, name] : all_reductions)
    if (what == r) return name;
  return {};
}

reduction parse_reduction(const std::string& name) {
  std::string known;
  for (const auto& one : all_reductions) {
    if (name == one.name) return one.what;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  }
  throw input_error(fmt::format("reduction: expected one of {}, found '{}'", known, name));
}

cuda::host_result::host_result(const device& where)
    : value_(cuda_backend<reduce_results>().make(where)) {}
cuda::host_result::~host_result() {
  if (value_) cuda_backend<reduce_results>().release(value_);
}

struct reducer::state {
  work_queue queue;
  int units = 0;                  ///< multiprocessors of a GPU
  cpu::reduce_team team;          ///< threads of a CPU
  buffer<double> partial, lanes;  // these of a GPU
  buffer<unsigned> counts;
  std::array<buffer<std::byte>, 2> copies;  ///< device copies of the caller's arrays
  std::optional<cuda::host_result> result;
  std::array<const void*, 3> known = {};  ///< arrays of the call before: x, y and the result

  explicit state(const device& where) : queue(where), team(where.threads()) {
    if (where.on() == backend::cpu) return;
    units = where.facts().units;
    lanes = buffer<double>(queue.where(), pass_lanes, fresh::unset);
    counts = buffer<unsigned>(queue.where(), cuda::reduce_counts);
    result.emplace(where);
  }

  template <class T>
  const T* there(std::span<const T> v, std::size_t nth) {
    if (memory_of(queue.where().on()).host_visible) return v.data();
    buffer<std::byte>& copy = copies[nth];
    if (copy.size() < v.size_bytes())
      copy = buffer<std::byte>(queue.where(), v.size_bytes(), fresh::unset);
    copy.upload(std::as_bytes(v));
    return reinterpret_cast<const T*>(copy.data());
  }

  /// On a GPU.
  template <class Op, class T>
  void put(const Op& op, const reduce_arrays<T>& a, double* to) {
    const std::size_t needed = cuda_backend<reduce_results>().partial_size(a.n);
    if (partial.size() < needed) partial = buffer<double>(queue.where(), needed, fresh::unset);
    const reduce_run<Op, T>& kernel = cuda_backend<reduce_functions<T>>();
    kernel.run(queue.where(), units, op, a, {partial.data(), lanes.data(), counts.data()}, to);
  }

  template <class Op, class T>
  double run(const Op& op, const reduce_arrays<T>& a) {
    if (queue.where().on() == backend::cpu) return cpu::run_reduce(op, a, team);
    put(op, a, result->get());
    queue.finish();
    return *result->get();
  }

  template <class T>
  double reduce(reduction r, const reduce_arrays<T>& a) {
    const double found = with_operation(r, [&](const auto& op) { return run(op, a); });
    if (r != reduction::norm2 || std::is_same_v<T, float>) return found;
    return in_range(found, a);
  }

  /// ||a||, where `found` is the root of the sum of squares as they are. In f64 these may overflow,
  /// or lose digits to 0.
  template <class T>
  double in_range(double found, const reduce_arrays<T>& a) {
    constexpr double least = 0x1p-450;
    if (std::isnan(found) || (found >= least && std::isfinite(found))) return found;
    const double largest = run(reduce_step::largest_magnitude{}, a);
    if (largest == 0.0 || std::isinf(largest)) return largest;
    const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
    return std::ldexp(run(reduce_step::scaled_squares(std::ldexp(1.0, -exponent)), a), exponent);
  }

  /// Asking CUDA what a pointer is takes as long as a launch: not again for the array of the call
  /// before.
  template <class T>
  void require_there(const char* name, device_span<T> v, const void*& before) {
    if (before && v.data == before && v.device == queue.where().ordinal()) return;
    require_on_device(queue.where(), name, v);
    before = v.data;
  }
  template <class T>
  reduce_arrays<T> on_device(const char* name, device_span<const T> v) {
    require_there(name, v, known[0]);
    return {v.data, nullptr, static_cast<std::int64_t>(v.size)};
  }
  template <class T>
  reduce_arrays<T> on_device(device_span<const T> x, device_span<const T> y) {
    require_same_size(x.size, y.size);
    require_there("y", y, known[1]);
    reduce_arrays<T> both = on_device("x", x);
    both.y = y.data;
    return both;
  }
  double* place_for(device_span<double> result_there) {
    if (result_there.size == 0)
      throw input_error("result: expected room for one element, found none");
    require_there("result", result_there, known[2]);
    return result_there.data;
  }
};

reducer::reducer(const device& where) : s_(std::make_unique<state>(where)) {}
reducer::~reducer() = default;
reducer::reducer(reducer&&) noexcept = default;
reducer& reducer::operator=(reducer&&) noexcept = default;

template <class T>
double reducer::reduce(std::span<const T> v, reduction op) {
  require_on_host("v", v);
  require_elements(op, v.size());
  const reduce_arrays<T> a{s_->there(v, 0), nullptr, static_cast<std::int64_t>(v.size())};
  return s_->reduce(op, a);
}
template <class T>
double reducer::reduce(device_span<const T> v, reduction op) {
  const auto a = s_->on_device("v", v);
  require_elements(op, v.size);
  return s_->reduce(op, a);
}

template <class T>
double reducer::dot(std::span<const T> x, std::span<const T> y) {
  require_same_size(x.size(), y.size());
  require_on_host("x", x);
  require_on_host("y", y);
  const reduce_arrays<T> a{s_->there(x, 0), s_->there(y, 1), static_cast<std::int64_t>(x.size())};
  return s_->run(reduce_step::products{}, a);
}
template <class T>
double reducer::dot(device_span<const T> x, device_span<const T> y) {
  return s_->run(reduce_step::products{}, s_->on_device(x, y));
}

template <class T>
void reducer::queue(device_span<const T> v, reduction op, device_span<double> result) {
  const auto a = s_->on_device("v", v);
  require_elements(op, v.size);
  double* const to = s_->place_for(result);
  with_operation(op, [&](const auto& step) { s_->put(step, a, to); });
}
template <class T>
void reducer::queue_dot(device_span<const T> x, device_span<const T> y,
                        device_span<double> result) {
  const auto a = s_->on_device(x, y);
  s_->put(reduce_step::products{}, a, s_->place_for(result));
}

void reducer::wait() const { s_->queue.finish(); }

template <class T>
double reduce(const device& where, std::span<const T> v, reduction op) {
  return reducer(where).reduce(v, op);
}
template <class T>
double reduce(const device& where, device_span<const T> v, reduction op) {
  return reducer(where).reduce(v, op);
}
template <class T>
double dot(const device& where, std::span<const T> x, std::span<const T> y) {
  return reducer(where).dot(x, y);
}
template <class T>
double dot(const device& where, device_span<const T> x, device_span<const T> y) {
  return reducer(where).dot(x, y);
}

#define DWELL_REDUCE(T)                                                               \
  template double reducer::reduce(std::span<const T>, reduction);                     \
  template double reducer::reduce(device_span<const T>, reduction);                   \
  template double reducer::dot(std::span<const T>, std::span<const T>);               \
  template double reducer::dot(device_span<const T>, device_span<const T>);           \
  template void reducer::queue(device_span<const T>, reduction, device_span<double>); \
  template void reducer::queue_dot(device_span<const T>, device_span<const T>,        \
                                   device_span<double>);                              \
  template double reduce(const device&, std::span<const T>, reduction);               \
  template double reduce(const device&, device_span<const T>, reduction);             \
  template double dot(const device&, std::span<const T>, std::span<const T>);         \
  template double dot(const device&, device_span<const T>, device_span<const T>);
DWELL_REDUCE(double)
DWELL_REDUCE(float)
#undef DWELL_REDUCE

}  // namespace dwell
