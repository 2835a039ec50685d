// SPDX-License-Identifier: MIT
// The texts and names of kernels that are compiled when they are needed.
#include "dwell/execution/stencil/launch/needed_kernel.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/execution/stencil/launch/plain_configs.hpp"

namespace dwell {
namespace {

/// A kernel of several, for people: "step", "step, config 1".
std::string numbered(const std::string& what, int config) {
  return config == 0 ? what : fmt::format("{}, config {}", what, config);
}

/// headers: of execution/stencil. arguments: of the template, behind shape and type; what: for
/// people.
kernel_source source_of(const shape_and_type& of, std::initializer_list<std::string> headers,
                        const char* kernel, const std::string& arguments, const std::string& what) {
  const shape_text shape = of.text();
  const bool wide = of.type == precision::f64;
  kernel_source source;
  for (const std::string& header : headers)
    source.text += fmt::format("#include \"dwell/execution/stencil/{}\"\n", header);
  source.text += shape.definition + '\n';
  source.kernel = fmt::format("dwell::cuda::{}<{}, {}, {}>", kernel, shape.name,
                              wide ? "double" : "float", arguments);
  source.about = fmt::format("stencil {}, {}, {}", of.shape, wide ? "f64" : "f32", what);
  return source;
}

needed_kernel plain(kernel_source source) {
  needed_kernel k;
  k.lanes = cuda::plain_lanes;
  k.scratch = cuda::plain_scratch;
  k.sources = {std::move(source)};
  return k;
}

constexpr const char* passes = "launch/temporal_kernels_cuda.cuh";

}  // namespace

needed_kernel needed_step(const shape_and_type& of, int config) {
  return plain(source_of(of, {"launch/kernels_cuda.cuh"}, "step_kernel", std::to_string(config),
                         numbered("step", config)));
}
needed_kernel needed_own_step(const shape_and_type& of, const char* loop) {
  return plain(source_of(of, {"launch/kernels_cuda.cuh", fmt::format("loops/{}.hpp", loop)},
                         "own_step_kernel", fmt::format("dwell::{}_stencil", loop),
                         fmt::format("step of {}", loop)));
}
needed_kernel needed_steps_in_one_launch(const shape_and_type& of, int config) {
  return plain(source_of(of, {"launch/kernels_cuda.cuh", "loops/barrier_steps.hpp"}, "loop_kernel",
                         fmt::format("dwell::barrier_steps, {}", config),
                         numbered("steps in one launch", config)));
}
needed_kernel needed_steps_without_barriers(const shape_and_type& of, int config) {
  return plain(source_of(of, {"launch/perks_kernels_cuda.cuh"}, "dataflow_kernel",
                         std::to_string(config), numbered("steps without barriers", config)));
}
needed_kernel needed_tiles(const shape_and_type& of, const char* engine, int config,
                           std::size_t scratch) {
  needed_kernel k;
  k.lanes = perks_lanes;
  k.scratch = scratch;
  k.owns_tiles = true;
  k.sources = {
      source_of(of, {"launch/perks_kernels_cuda.cuh", fmt::format("engines/{}/engine.hpp", engine)},
                "perks_kernel", fmt::format("dwell::perks_stencil, dwell::{}, {}", engine, config),
                numbered(engine, config))};
  return k;
}
needed_kernel needed_ring(const shape_and_type& of, int config, bool has_source, int lanes,
                          std::size_t scratch, int pass_steps) {
  needed_kernel k;
  k.lanes = lanes;
  k.scratch = scratch;
  k.pass_steps = pass_steps;
  k.sources = {source_of(of, {passes}, "ring_kernel", fmt::format("{}, {}", config, has_source),
                         numbered(has_source ? "ring2d with a source" : "ring2d", config))};
  return k;
}
needed_kernel needed_columns(const shape_and_type& of, int config, bool has_source,
                             std::size_t scratch, int pass_steps) {
  needed_kernel k;
  k.lanes = perks_lanes;
  k.scratch = scratch;
  k.pass_steps = pass_steps;
  k.sources = {source_of(of, {passes}, "column_kernel", fmt::format("{}, true", config),
                         "column3d, any passes")};
  if (!has_source)
    k.sources.push_back(
        source_of(of, {passes}, "column_kernel", fmt::format("{}, false", config), "column3d"));
  return k;
}

}  // namespace dwell
