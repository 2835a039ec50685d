// SPDX-License-Identifier: MIT
// Convolutions of dwell/dwell.h: handles over convolution_runner.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "dwell/arrays/convolution_runner.hpp"
#include "dwell/bindings/c/device.hpp"
#include "dwell/bindings/c/options.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"

namespace dwell::c_api {
namespace {

void set_border(convolution_options& o, const char* name, const value& to) {
  o.edge = parse_border(expect<std::string>(name, to));
}

void set_passes(convolution_options& o, const char* name, const value& to) {
  constexpr std::array words = {"auto", "one", "each-axis"};  // in the order of filter_passes
  const std::string& word = expect<std::string>(name, to);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw input_error(
        fmt::format("passes: expected auto, one or each-axis, found {}", found_word(word, words)));
  o.passes = static_cast<filter_passes>(found - words.begin());
}

struct convolution_table {
  static constexpr const char* solver = "dwell_convolution";
  static constexpr const char* what = "an option of convolutions";
  static constexpr option_row<convolution_options> all[] = {
      {"edge", set_border},
      {"correlate", set_member<&convolution_options::correlate>},
      {"algorithm", set_member<&convolution_options::algorithm>},
      {"passes", set_passes},
      {"reverse_lanes", set_member<&convolution_options::reverse_lanes>},
  };
  static std::span<const option_row<convolution_options>> rows() { return all; }
};
using convolution_options_by_name = options_by_name<convolution_options, convolution_table>;

extents extents_of(const char* name, int dims, const int* size) {
  if (dims != 2 && dims != 3)
    throw input_error(fmt::format("dims: expected 2 or 3, found {}", dims));
  require(size, name);
  return dims == 2 ? extents(size[0], size[1]) : extents(size[0], size[1], size[2]);
}

convolution_filter filter_of(const dwell_filter* given, int dims) {
  require(given, "filter");
  if (given->name) return convolution_filter::named(given->name, dims);
  const extents taps = extents_of("filter: taps", dims, given->taps);
  const auto count = [](const extents& n) {  // none where a number is no number of taps
    return std::min({n.z, n.y, n.x}) < 1 || std::max({n.z, n.y, n.x}) > 31 ? 0 : n.cells();
  };
  if (given->weights)
    return {taps, std::vector<double>(given->weights, given->weights + count(taps))};
  require(given->factors, "filter: weights or factors");
  std::array<std::vector<double>, 3> factors;
  for (int k = 0; k < dims; ++k) {
    require(given->factors[k], "filter: factors");
    const double* const from = given->factors[k];
    factors[static_cast<std::size_t>(k)].assign(from, from + count(extents(1, given->taps[k])));
  }
  return dims == 2 ? convolution_filter::product(std::move(factors[0]), std::move(factors[1]))
                   : convolution_filter::product(std::move(factors[0]), std::move(factors[1]),
                                                 std::move(factors[2]));
}

template <class In, class Out>
using runner_of = std::unique_ptr<convolution_runner<In, Out>>;
using any_runner =
    std::variant<runner_of<double, double>, runner_of<float, float>,
                 runner_of<std::uint8_t, std::uint8_t>, runner_of<std::uint8_t, float>,
                 runner_of<half, half>, runner_of<half, float>>;

/// f.operator()<In, Out>(); throws input_error if there are no such convolutions.
template <class F>
void with_types(int cells, int result, F&& f) {
  if (cells < DWELL_F64 || cells > DWELL_F16)
    throw input_error(fmt::format(
        "cells: expected DWELL_F64 (0), DWELL_F32 (1), DWELL_U8 (2) or DWELL_F16 (3), found {}",
        cells));
  const bool wide = result == DWELL_F32 && cells >= DWELL_F32;
  if (!wide && result != cells)
    throw input_error(fmt::format("result: expected the type of cells ({}){}, found {}", cells,
                                  cells >= DWELL_U8 ? " or DWELL_F32 (1)" : "", result));
  if (cells == DWELL_F64) return f.template operator()<double, double>();
  if (cells == DWELL_F32) return f.template operator()<float, float>();
  if (cells == DWELL_U8)
    return wide ? f.template operator()<std::uint8_t, float>()
                : f.template operator()<std::uint8_t, std::uint8_t>();
  return wide ? f.template operator()<half, float>() : f.template operator()<half, half>();
}

}  // namespace
}  // namespace dwell::c_api

using namespace dwell::c_api;

/// What dwell/dwell.h declares as opaque.
struct dwell_convolution {
  dwell::device where = dwell::device::cpu();
  std::size_t cells = 0;  ///< cells of all images
  any_runner runner;
};

namespace {

/// f(the runner).
template <class F>
int with_runner(const dwell_convolution* handle, F&& f) {
  return guarded([&] {
    require(handle, "runner");
    std::visit([&](auto& r) { f(*r); }, handle->runner);
    return DWELL_SUCCESS;
  });
}

template <class Runner>
void publish_report(const Runner& r, dwell_report** report) {
  if (report) *report = new_report(dwell::convolution_report_table(), r.report());
}

/// f(images, out), as device_spans.
template <class In, class Out, class F>
void there(const dwell_convolution& handle, const void* images, void* out, F&& f) {
  const int number = handle.where.ordinal();
  f(dwell::device_span<const In>{static_cast<const In*>(images), handle.cells, number},
    dwell::device_span<Out>{static_cast<Out*>(out), handle.cells, number});
}

}  // namespace

int dwell_convolution_options_create(dwell_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new convolution_options_by_name;
    return DWELL_SUCCESS;
  });
}

int dwell_convolution_create(dwell_convolution** runner, const dwell_device* device, int cells,
                             int result, int dims, const int* size, long long images,
                             const dwell_filter* filter, const dwell_options* options) {
  return guarded([&] {
    require(runner, "runner");
    auto made = std::make_unique<dwell_convolution>();
    made->where = device_of(device);
    const dwell::convolution_options o = convolution_options_by_name::of(options);
    const dwell::extents n = extents_of("size", dims, size);
    const dwell::convolution_filter f = filter_of(filter, dims);
    with_types(cells, result, [&]<class In, class Out>() {
      made->runner =
          std::make_unique<dwell::convolution_runner<In, Out>>(made->where, n, f, o, images);
    });
    made->cells = n.cells() * static_cast<std::size_t>(images);
    *runner = made.release();
    return DWELL_SUCCESS;
  });
}

void dwell_convolution_destroy(dwell_convolution* runner) { delete runner; }

int dwell_convolution_run(dwell_convolution* runner, const void* images, void* out, int memory,
                          dwell_report** report) {
  return with_runner(runner, [&]<class In, class Out>(dwell::convolution_runner<In, Out>& r) {
    if (on_host(memory))
      r.run(std::span<const In>(static_cast<const In*>(images), runner->cells),
            std::span<Out>(static_cast<Out*>(out), runner->cells));
    else
      there<In, Out>(*runner, images, out, [&](auto from, auto to) { r.run(from, to); });
    publish_report(r, report);
  });
}

int dwell_convolution_start(dwell_convolution* runner, const void* images, void* out) {
  return with_runner(runner, [&]<class In, class Out>(dwell::convolution_runner<In, Out>& r) {
    there<In, Out>(*runner, images, out, [&](auto from, auto to) { r.run_async(from, to); });
  });
}

int dwell_convolution_wait(dwell_convolution* runner, dwell_report** report) {
  return with_runner(runner, [&](auto& r) {
    r.wait();
    publish_report(r, report);
  });
}
