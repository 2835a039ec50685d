// SPDX-License-Identifier: MIT
// `dwell kernels warm` of built-in stencils and of methods, which needs NVRTC and no GPU: what is
// compiled and kept, what is found again, what is said on a terminal, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/kernel_facts.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/device/small_kernels.hpp"

namespace dwell::test {
namespace {

class cli_kernels : public testing::Test {
 protected:
  cli_kernels() { setenv("DWELL_CACHE_DIR", folder_("cache").c_str(), 1); }
  ~cli_kernels() override {
    for (const char* name : {"DWELL_CACHE_DIR", "DWELL_NVRTC"}) unsetenv(name);
  }
  static std::vector<std::string> warm(std::vector<std::string> more) {
    more.insert(more.begin(), {"kernels", "warm", "gradient2d"});
    return more;
  }

  scratch_folder folder_;
};

class cli_kernels_compiled : public cli_kernels {
 protected:
  void SetUp() override {
    try {
      nvrtc::library();
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
};

/// Reductions, scans, set-ups: by the names that the list has, in builds that compile them when
/// they are needed; others have them in the library, or have no GPUs.
TEST_F(cli_kernels_compiled, small_ones_have_the_names_of_the_list) {
  const std::vector<std::string> ends = {"--device-facts", "h200", "--json", "-"};
  const auto warmed = [&](const std::string& name) {
    std::vector<std::string> args = {"kernels", "warm", name};
    args.insert(args.end(), ends.begin(), ends.end());
    return dwell_cli(args);
  };
  for (const std::string name : {"scans of int", "scans", "reductions, sum", "set-up of fsai"}) {
    const auto r = warmed(name);
    if (!find_cuda().built_in) {
      EXPECT_NE(r.code, 0);
      EXPECT_TRUE(holds(r.err, "no CUDA backend")) << r.err;
      continue;
    }
    ASSERT_EQ(r.code, 0) << r.err;
    const auto& kernels = r.json().at("kernels");
    EXPECT_EQ(kernels.empty(), all_small_kernels().empty());
    for (const auto& one : kernels) {
      EXPECT_TRUE(starts(one.at("what"), name)) << one;
      EXPECT_TRUE(!holds(one.at("what"), "f32")) << one;
      const auto again = warmed(one.at("what"));
      ASSERT_EQ(again.json().at("kernels").size(), 1u) << one;
      EXPECT_EQ(again.json().at("kernels")[0].at("compile_s"), 0);
    }
  }
  if (!all_small_kernels().empty()) {
    EXPECT_TRUE(holds(warmed("scans of rubbish").err, "found 'scans of rubbish'"));
    EXPECT_FALSE(report_of({"kernels", "list", "--json", "-"}).at("kernels").empty());
  }
}

TEST_F(cli_kernels, small_ones_are_for_gpus_and_have_no_size) {
  expect_refused({"kernels", "warm", "scans"}, "kernels warm scans: expected a GPU");
  expect_refused({"kernels", "warm", "set-up of amg", "--arch", "sm_90", "--size", "9x9"},
                 "--size, --boundary, --executor: not of set-up of amg");
  expect_refused({"kernels", "warm", "scans", "--arch", "sm_90", "--complex"},
                 "--complex: of methods alone");
}

TEST_F(cli_kernels_compiled, of_a_run_are_compiled_once_and_listed) {
  const auto args = warm({"--device-facts", "h200", "--size", "512x512", "--executor", "graph"});
  auto with_json = args;
  with_json.insert(with_json.end(), {"--json", "-"});
  const auto first = report_of(with_json);
  EXPECT_EQ(first.at("stencil"), "gradient2d");
  ASSERT_EQ(first.at("kernels").size(), 1u);
  EXPECT_EQ(first.at("kernels")[0].at("what"), "stencil gradient2d, f64, step");
  EXPECT_TRUE(starts(first.at("kernels")[0].at("target"), "sm_90a, NVRTC "));
  EXPECT_GT(first.at("kernels")[0].at("compile_s"), 0);
  EXPECT_EQ(report_of(with_json).at("kernels")[0].at("compile_s"), 0);
  EXPECT_TRUE(holds(dwell_cli(args).out, "it was there"));
  const auto list = report_of({"kernels", "list", "--json", "-"});
  ASSERT_EQ(list.at("kernels").size(), 1u);
  EXPECT_EQ(list.at("kernels")[0].at("what"), "stencil gradient2d, f64, step");
  EXPECT_TRUE(list.at("kernels")[0].at("registers").is_null());
  // What a GPU's driver would have said.
  compiled_kernel code;
  code.key = std::string(list.at("kernels")[0].at("file")).substr(0, 64);
  keep_facts(code, {"NVIDIA H200", 512, 1024}, {57, 8, 256, 4});
  const auto found = report_of({"kernels", "list", "--json", "-"});
  ASSERT_EQ(found.at("kernels").size(), 1u);
  const auto& kernel = found.at("kernels")[0];
  EXPECT_EQ(kernel.at("what"), "stencil gradient2d, f64, step");
  EXPECT_EQ(kernel.at("registers"), 57);
  EXPECT_EQ(kernel.at("spill_bytes"), 8);
  EXPECT_EQ(kernel.at("shared_bytes"), 1280);
  EXPECT_EQ(kernel.at("blocks_per_multiprocessor"), 4);
  EXPECT_EQ(kernel.at("device"), "NVIDIA H200");
  EXPECT_GT(found.at("bytes"), list.at("bytes"));
  EXPECT_TRUE(holds(dwell_cli({"kernels", "list"}).out, "NVIDIA H200"));
  EXPECT_EQ(report_of({"kernels", "clear", "--json", "-"}).at("removed"), 2);
}

TEST_F(cli_kernels_compiled, of_an_executor_are_those_of_all_its_plans) {
  const auto r =
      dwell_cli(warm({"--arch", "sm_80", "--executor", "host-loop", "--precision", "f32"}),
                {.terminal = true});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "stencil gradient2d, f32, step"));
  EXPECT_TRUE(holds(r.out, "sm_80, NVRTC "));
  EXPECT_TRUE(holds(r.err, "compiling 1 kernel (once)"));
  const auto kept = report_of({"kernels", "list", "--json", "-"}).at("kernels").size();
  EXPECT_EQ(holds(r.err, "compiling 2 kernels (once)"), kept > 1);
}

TEST_F(cli_kernels, of_built_in_stencils_are_for_gpus) {
  const std::string wanted = "kernels warm gradient2d: expected a GPU, by --device-facts or --arch";
  expect_refused(warm({}), wanted);
  expect_refused(warm({"--arch", "cpu,sm_90"}), wanted);
  expect_refused(warm({"--arch", "sm_90", "--size", "9x9"}),
                 "--size: expected --device-facts with it");
  expect_refused(warm({"--device-facts", "h200", "--size", "9x9x9"}),
                 "gradient2d works on 2 dimensions");
  expect_refused({"kernels", "warm", "wave2d", "--size", "9x9"},
                 "of built-in stencils and methods alone");
  expect_refused(warm({"--arch", "sm_x"}), "expected cpu, or an architecture such as sm_90");
}

TEST_F(cli_kernels_compiled, of_a_convolution_are_those_of_its_passes) {
  const std::vector<std::string> args = {
      "kernels", "warm",        "convolve", "--device-facts", "h200", "--filter",
      "box:15",  "--size",      "512x512",  "--cells",        "u8",   "--out-type",
      "input",   "--algorithm", "window",   "--json",         "-"};
  const auto first = report_of(args);
  EXPECT_TRUE(first.at("stencil").is_null());
  EXPECT_EQ(first.at("filter"), "box:15");
  EXPECT_EQ(first.at("cells"), "u8");
  ASSERT_EQ(first.at("kernels").size(), 2u) << "along rows, then columns, rounded";
  EXPECT_EQ(first.at("kernels")[0].at("what"),
            "convolution window, u8, tap rows 1, 5, 9, 13, 17, 21, 25, 29");
  EXPECT_EQ(first.at("kernels")[1].at("what"),
            "convolution window, f32 to u8, tap rows 3, 7, 11, 15, 19, 23, 27, 31");
  EXPECT_GT(first.at("kernels")[0].at("compile_s"), 0);
  EXPECT_EQ(report_of(args).at("kernels")[1].at("compile_s"), 0);
}

TEST_F(cli_kernels_compiled, of_convolutions_are_all_of_an_algorithm) {
  const auto r = dwell_cli(
      {"kernels", "warm", "convolve", "--arch", "sm_80", "--algorithm", "direct", "--cells", "f64"},
      {.terminal = true});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "convolution direct, f64, tap rows 1 to 31"));
  EXPECT_TRUE(holds(r.err, "compiling 1 kernel (once)"));
  EXPECT_FALSE(holds(r.err, "compiling 2 kernels"));
  const auto narrow = report_of({"kernels", "warm", "convolve", "--arch", "sm_80", "--algorithm",
                                 "direct", "--cells", "f16", "--json", "-"});
  EXPECT_EQ(narrow.at("kernels").size(), 2u) << "f16, and f32 between and behind passes";
}

TEST_F(cli_kernels, of_convolutions_are_for_gpus) {
  const auto refused = [](std::vector<std::string> more, const std::string& what) {
    more.insert(more.begin(), {"kernels", "warm", "convolve"});
    expect_refused(more, what);
  };
  refused({}, "kernels warm convolve: expected a GPU, by --device-facts or --arch");
  refused({"--arch", "sm_90,cpu"}, "expected a GPU, by --device-facts or --arch");
  refused({"--arch", "sm_90", "--filter", "box:3"}, "--filter, --size: expected both");
  refused({"--arch", "sm_90", "--filter", "box:3", "--size", "9x9"},
          "--filter: expected --device-facts with it");
  refused({"--arch", "sm_90", "--passes", "one"}, "expected --filter and --size with them");
  refused({"--device-facts", "h200", "--filter", "box:3", "--size", "9"}, "--size");
  refused({"--device-facts", "h200", "--filter", "box:3x", "--size", "9x9"}, "--filter");
  refused({"--arch", "sm_90", "--algorithm", "systolical"}, "--algorithm");
  expect_refused({"kernels", "warm"}, "NAME is required");
}

TEST_F(cli_kernels_compiled, of_methods_are_compiled_once_and_listed) {
  const std::vector<std::string> args = {
      "kernels", "warm", "minres", "--device-facts", "h200", "--executor", "graph", "--json", "-"};
  const auto first = report_of(args);
  EXPECT_EQ(first.at("method"), "minres");
  ASSERT_EQ(first.at("kernels").size(), 7u) << "three phases, and four with a sequence";
  EXPECT_EQ(first.at("kernels")[0].at("what"), "textbook_minres, f64, host_loop, phase 0");
  EXPECT_GT(first.at("kernels")[0].at("compile_s"), 0);
  auto of_host_loop = args;
  of_host_loop[6] = "host-loop";
  const auto second = report_of(of_host_loop);
  ASSERT_EQ(second.at("kernels").size(), 7u);
  for (const auto& kernel : second.at("kernels")) EXPECT_EQ(kernel.at("compile_s"), 0);
  EXPECT_EQ(report_of({"kernels", "clear", "--json", "-"}).at("removed"), 7);
}

TEST_F(cli_kernels_compiled, of_complex_matrices_are_those_of_their_form) {
  for (const std::string precision : {"f64", "f32"}) {
    const std::vector<std::string> args = {"kernels",     "warm",    "bicgstab",   "--complex",
                                           "--arch",      "sm_90",   "--executor", "host-loop",
                                           "--precision", precision, "--json",     "-"};
    const auto first = report_of(args);
    EXPECT_EQ(first.at("method"), "bicgstab");
    const auto& kernels = first.at("kernels");
    ASSERT_GT(kernels.size(), 1u);
    for (const std::size_t phase : {0u, 1u})
      EXPECT_EQ(kernels[phase].at("what"),
                fmt::format("complex_bicgstab, {}, host_loop, phase {}", precision, phase));
    for (const auto& kernel : kernels) {
      EXPECT_FALSE(holds(kernel.at("what"), "textbook"));
      EXPECT_GT(kernel.at("compile_s"), 0);
    }
    EXPECT_EQ(report_of(args).at("kernels")[0].at("compile_s"), 0);
  }
}

TEST_F(cli_kernels, of_complex_matrices_are_of_methods_that_take_them) {
  expect_refused({"kernels", "warm", "minres", "--complex", "--arch", "sm_90"},
                 "method: expected cg, bicgstab or gmres for a complex matrix, found minres");
  expect_refused({"kernels", "warm", "cg", "--complex", "--arch", "sm_90", "--executor", "naive"},
                 "on cuda (graph, host-loop, perks, persistent), found 'naive'");
  expect_refused(warm({"--complex", "--arch", "sm_90"}), "--complex: of methods alone");
  expect_refused({"kernels", "warm", "wave2d", "--complex"}, "--complex: of methods alone");
}

TEST_F(cli_kernels, of_grids_are_for_gpus) {
  expect_refused({"kernels", "warm", "grid"},
                 "kernels warm grid: expected a GPU, by --device-facts or --arch");
  expect_refused({"kernels", "warm", "grid", "--arch", "sm_90", "--executor", "graph"},
                 "--size, --boundary, --executor: not of grid");
  expect_refused({"kernels", "warm", "grid", "--arch", "sm_90", "--complex"},
                 "--complex: of methods alone");
}

TEST_F(cli_kernels, of_methods_are_for_gpus) {
  expect_refused({"kernels", "warm", "gmres"},
                 "kernels warm gmres: expected a GPU, by --device-facts or --arch");
  expect_refused({"kernels", "warm", "cg", "--arch", "sm_90", "--size", "9x9"},
                 "--size, --boundary: of stencils alone");
  expect_refused({"kernels", "warm", "cg", "--arch", "sm_90", "--executor", "naive"},
                 "on cuda (graph, host-loop, perks, persistent), found 'naive'");
}

TEST_F(cli_kernels, without_a_compiler_one_line_says_so) {
  setenv("DWELL_NVRTC", folder_("libnvrtc.so.13").c_str(), 1);
  expect_refused(warm({"--device-facts", "h200", "--size", "64x64"}), "libnvrtc.so.13");
  expect_refused({"kernels", "warm", "grid", "--device-facts", "h200"}, "libnvrtc.so.13");
}

}  // namespace
}  // namespace dwell::test
