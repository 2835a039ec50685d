// SPDX-License-Identifier: MIT
// NVRTC compiles the kernels of fields, where there is one: those of a definition of its own and of
// definitions drawn at random, for several architectures.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device_program.hpp"
#include "drawn_fields.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"

namespace dwell::test {
namespace {

TEST_F(DeviceText, NvrtcCompilesItsKernels) {
  try {
    nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  // A pass of the wave equation: two fields, one of them the other's old values, a coefficient.
  const std::array own{0, 0}, up{-1, 0}, right{0, 1};
  cell_tape wave{"wave", 2, {"u", "v"}, {"c"}, {}, {}, {}};
  wave.nodes = {cell_node::tap(0, own), cell_node::tap(1, own), cell_node::tap(2, own),
                cell_node::tap(0, up), cell_node::tap(0, right)};
  for (const auto& [a, b] : {std::pair{3, 4}, {2, 5}, {0, 6}})
    wave.nodes.push_back(cell_node::operation(cell_op::mul, a, b));
  wave.nodes.push_back(cell_node::operation(cell_op::sub, 7, 1));
  wave.stages = {{{0, 8}, {1, 0}}};
  const stencil_definition of_wave(wave);
  const std::array<std::int64_t, 2> size{100, 100};
  const field_domain waves(of_wave, checked_field_size(2, size), {field_boundary{}});
  using sources = field_kernel_sources<double>;
  const sources of_waves(waves);
  const chain_shape shape = chain_of(waves);
  const auto config =
      plan_chain(shape, work_of(of_wave, sizeof(double)), sizeof(double), {227 << 10, 64});
  ASSERT_TRUE(config);
  for (const kernel_source& source :
       {of_waves.stage(0), of_waves.naive_stage(0), of_waves.steps(), of_waves.pass(*config),
        of_waves.pass(*config, {false, true}), of_waves.pass(*config, {true, true}),
        of_waves.resident({7, 10, 4, 5, 1}), of_waves.resident({7, 10, 4, 5, 1}, {true, true}),
        of_waves.keep(), of_waves.differ(), sources::add(), sources::record(), sources::finite(),
        sources::subtract()})
    EXPECT_NO_THROW(EXPECT_FALSE(compile_kernel(source, {90, 0})->cubin.empty())) << source.kernel;
  // A pass is the kernel of one architecture; others have none.
  for (const int arch : {80, 90, 120}) {
    int passes = 0;
    for (const kernel_source& source : field_sources(waves, precision::f32, arch)) {
      passes += source.kernel.find("fields_pass_kernel") != std::string::npos;
      EXPECT_NO_THROW(EXPECT_FALSE(compile_kernel(source, {arch, 0})->cubin.empty()))
          << source.kernel;
    }
    EXPECT_EQ(passes, arch == 90 ? 1 : 0) << arch;
    const auto all = field_sources(waves, precision::f32, arch, {true, true}, true);
    const auto plain = field_sources(waves, precision::f32, arch);
    const auto has = [](const auto& list, const std::string& kernel) {
      return std::ranges::any_of(list, [&](const kernel_source& s) { return s.kernel == kernel; });
    };
    EXPECT_EQ(all.size(), plain.size() + 3) << arch;
    using of_f32 = field_kernel_sources<float>;
    for (const kernel_source& more : {of_f32::add(), of_f32::record(), of_f32::subtract()})
      EXPECT_TRUE(has(all, more.kernel) && !has(plain, more.kernel)) << more.kernel;
    const auto passes_with = std::ranges::count_if(all, [](const kernel_source& s) {
      return s.kernel.find(", true, true>") != std::string::npos;
    });
    EXPECT_EQ(passes_with, passes) << arch;
  }

  std::mt19937_64 chance(5);
  for (int round = 0; round < 4; ++round) {
    const drawn d = draw(chance, round == 3 ? 3 : 0);
    const std::vector<std::int64_t> axes(d.n.begin() + (3 - d.definition.dims()), d.n.end());
    const field_domain domain(d.definition, checked_field_size(d.definition.dims(), axes), d.given);
    const kernel_source source =
        round % 2 ? field_kernel_sources<float>(domain).stage(0) : sources(domain).stage(0);
    std::vector<kernel_source> list{source,
                                    sources(domain).resident(tile_of(domain), {false, true})};
    if (d.definition.dims() == 3) {
      const auto plan = plan_columns(columns_of(domain), work_of(d.definition, 8), 8, {});
      ASSERT_TRUE(plan);
      for (const pass_demands& demands :
           {pass_demands{}, {false, true}, {true, false}, {true, true}})
        list.push_back(sources(domain).pass(*plan, demands));
    }
    std::string failure;
    try {
      for (const kernel_source& kernel : list)
        EXPECT_FALSE(compile_kernel(kernel, {90, 0})->cubin.empty());
    } catch (const error& e) {
      failure = e.what();
    }
    EXPECT_EQ(failure, "") << source.text;
  }
}

}  // namespace
}  // namespace dwell::test
