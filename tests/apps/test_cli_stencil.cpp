// SPDX-License-Identifier: MIT
// `dwell stencil`: files in and out, the report, JSON, exit codes, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::test {
namespace {

std::vector<std::string> stencil(std::vector<std::string> more) {
  more.insert(more.begin(), "stencil");
  more.insert(more.end(), {"--device", "cpu", "--threads", "2"});
  return more;
}

TEST(cli_stencil, steps_go_from_file_to_file) {
  const scratch_folder in;
  const auto one = dwell_cli(stencil(
      {"2d5pt", "--size", "30x40", "--initial", "random:3", "--steps", "7", "-o", in("a.npy")}));
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(holds(one.out, "7 steps done"));
  EXPECT_EQ(read_npy<double>(in("a.npy")).size(), extents(30, 40));
  // 7 + 5 steps are 12 steps, whatever the executor.
  EXPECT_EQ(dwell_cli(stencil({"2d5pt", "--input", in("a.npy"), "--steps", "5", "-o", in("b.npy"),
                               "--executor", "perks"}))
                .code,
            0);
  EXPECT_EQ(dwell_cli(stencil({"2d5pt", "--size", "30x40", "--initial", "random:3", "--steps", "12",
                               "-o", in("c.npy"), "--executor", "naive"}))
                .code,
            0);
  EXPECT_EQ(read_text(in("b.npy")), read_text(in("c.npy")));
}

TEST(cli_stencil, a_poisson_problem_is_solved_to_a_tolerance) {
  const scratch_folder in;
  grid<double> f(extents(16, 16), 0.01);
  write_npy<double>(in("f.npy"), std::as_const(f).view());
  const auto r =
      dwell_cli(stencil({"2d5pt", "--size", "16x16", "--initial", "zeros", "--source", in("f.npy"),
                         "--until", "1e-10", "--check-every", "10", "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("stop_reason"), "converged");
  EXPECT_LE(j.at("largest_change").get<double>(), 1e-10);
  EXPECT_EQ(j.at("steps").get<int>() % 10, 0);
  const auto limited =
      dwell_cli(stencil({"2d5pt", "--size", "16x16", "--until", "0", "--max-steps", "20"}));
  EXPECT_EQ(limited.code, 2);
  EXPECT_TRUE(holds(limited.err, "NOT converged within the limit of 20 steps"));
}

TEST(cli_stencil, pictures_and_vtk_files_are_what_they_claim) {
  const scratch_folder in;
  for (const char* shape : {"2d5pt", "3d7pt"})
    for (const char* name : {"u.png", "u.vti"}) {
      const std::string size = shape[0] == '2' ? "30x40" : "5x30x40";
      const auto r =
          dwell_cli(stencil({shape, "--size", size, "--steps", "3", "-o", in(name), "-q"}));
      EXPECT_EQ(r.code, 0) << r.err;
      EXPECT_EQ(r.out, "");
      const auto bytes = read_text(in(name));
      if (name[2] == 'p') {
        EXPECT_TRUE(starts(bytes, "\x89PNG\r\n\x1a\n"));
        EXPECT_TRUE(bytes.find("IEND") != std::string::npos);
      } else {
        EXPECT_TRUE(holds(bytes, shape[0] == '2' ? "WholeExtent=\"0 39 0 29 0 0\""
                                                 : "WholeExtent=\"0 39 0 29 0 4\""));
        const auto at = bytes.find("\n   _") + 5;
        EXPECT_EQ(bytes.size() - at, 8 + 8 * (shape[0] == '2' ? 1200u : 6000u) +
                                         std::string("\n  </AppendedData>\n</VTKFile>\n").size());
      }
    }
}

TEST(cli_stencil, an_interrupt_leaves_the_field_of_the_steps_done) {
  const scratch_folder in;
  cli_setting setting;
  setting.terminal = true;
  setting.signal = SIGINT;
  setting.signal_when = [](const std::string& err) {
    return err.find("step ") != std::string::npos;
  };
  const auto r = dwell_cli(stencil({"2d5pt", "--size", "64x64", "--steps", "2000000000", "-o",
                                    in("u.npy"), "--json", in("r.json")}),
                           setting);
  EXPECT_EQ(r.code, 130);
  EXPECT_TRUE(holds(r.out, "INTERRUPTED after"));
  EXPECT_EQ(read_npy<double>(in("u.npy")).size(), extents(64, 64));
  EXPECT_EQ(nlohmann::json::parse(read_text(in("r.json"))).at("stop_reason"), "interrupted");
}

TEST(cli_stencil, a_policy_that_leaves_warns) {
  const auto r = dwell_cli(
      stencil({"2d5pt", "--size", "20x30", "--steps", "3", "--policy", "greedy", "--json", "-"}));
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(holds(r.err, "warning: --policy: the next minor version removes 'greedy'; 'both' is"))
      << r.err;
  const auto both = dwell_cli(
      stencil({"2d5pt", "--size", "20x30", "--steps", "3", "--policy", "both", "--json", "-"}));
  EXPECT_EQ(both.err, "");
  EXPECT_EQ(r.json().at("greatest"), both.json().at("greatest"));
}

TEST(cli_stencil, what_cannot_be_used_is_refused_in_one_line) {
  const scratch_folder in;
  grid<double> u(extents(4, 5), 1.0);
  write_npy<double>(in("u.npy"), std::as_const(u).view());
  const grid<float> v(extents(4, 5));
  u(1, 1) = std::numeric_limits<double>::quiet_NaN();
  write_npy<double>(in("nan.npy"), std::as_const(u).view());
  write_npy<float>(in("single.npy"), std::as_const(v).view());
  const std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n";
  in.write("short.npy",
           std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header);
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"2d6pt", "--size", "4x4"}, "found '2d6pt'"},
      {{"2d5pt"}, "expected --size or --input"},
      {{"2d5pt", "--size", "4"}, "--size: 2d5pt works on 2 dimensions, found 4"},
      {{"2d5pt", "--size", "0x4"}, "of 1 to 2147483647 cells each, found '0x4'"},
      {{"2d5pt", "--size", "99999999999x8"},
       "of 1 to 2147483647 cells each, found '99999999999x8'"},
      {{"2d5pt", "--size", "2147483647x2147483647"},
       "--size: expected at most 2^40 cells, found '2"},
      {{"2d5pt", "--size", "4x4", "--steps", "-1"}, "--steps: expected a whole number from 0 to"},
      {{"2d5pt", "--size", "4x4", "--steps", "0", "--until", "1"}, "--steps and --until"},
      {{"2d5pt", "--size", "4x4x4"}, "2d5pt works on 2 dimensions, found 4x4x4"},
      {{"3d7pt", "--size", "4x4"}, "3d7pt works on 3 dimensions, found 4x4"},
      {{"2d5pt", "--size", "4x4", "--input", in("u.npy")},
       "expected the 4x4 cells of --size, found 4x5"},
      {{"2d5pt", "--input", in("u.npy"), "--precision", "f32"},
       "u.npy: expected f32 values, found f64; add --precision f64 to compute with these"},
      {{"2d5pt", "--size", "4x5", "--source", in("single.npy")},
       "single.npy: expected f64 values, found f32; add --precision f32 to compute with these"},
      {{"2d5pt", "--input", in("single.npy")},
       "single.npy: expected f64 values, found f32; add --precision f32 to compute with these"},
      {{"2d5pt", "--input", in("none.npy")},
       "none.npy: expected a readable .npy file, found: No such"},
      {{"2d5pt", "--input", in("short.npy")},
       "short.npy: expected 8000000000000 bytes of values for shape 1000000x1000000, found 0"},
      {{"2d5pt", "--size", "9x9", "--source", in("short.npy")},
       "short.npy: expected 8000000000000"},
      {{"2d5pt", "--input", in("nan.npy")}, "nan.npy: expected finite values, found nan at [1, 1]"},
      {{"2d5pt", "--input", in("u.npy"), "--initial", "zeros"}, "--input and --initial"},
      {{"2d5pt", "--size", "4x4", "--source", in("u.npy")},
       "expected 4x4 cells as the field has, found 4x5"},
      {{"2d5pt", "--size", "4x4", "--initial", "random:"}, "--initial: expected random:SEED"},
      {{"2d5pt", "--size", "4x4", "--weights", "1,2"},
       "--weights: expected 5 numbers for 2d5pt, found 2"},
      {{"2d5pt", "--size", "4x4", "--weights", "1,2,x,4,5"}, "--weights: expected finite numbers"},
      {{"2d5pt", "--size", "4x4", "--output", in("u.jpg")},
       "--output: expected a name that ends in .npy, .vti or .png"},
      {{"2d5pt", "--size", "4x4", "--steps", "3", "--until", "1"}, "--steps and --until"},
      {{"2d5pt", "--size", "4x4", "--max-steps", "3"}, "--max-steps: limits --until"},
      {{"2d5pt", "--size", "4x4", "--executor", "graph"}, "'graph'"},
      {{"2d5pt", "--size", "4x4", "--executor", "persistent", "--policy", "both"},
       "caches nothing on the chip"},
      {{"2d5pt", "--size", "4x4", "--executor", "perks", "--blocking", "temporal", "--traversal",
        "ring"},
       "traversal 'ring': an order of rows is for passes of one step"},
      {{"2d5pt", "--size", "4x4", "--executor", "perks", "--blocking", "temporal", "--depth", "99"},
       "depth 99: a pass of blocking 'temporal' takes at most "},
      {{"2d5pt", "--size", "4x4", "--check-every", "3"}, "--check-every: tests --until"},
      {{"2d5pt", "--size", "4x4", "--executor", "persistent", "--depth", "2"},
       "depth 2: executor 'persistent' has no cached tiles"},
      {{"2d5pt", "--size", "4x4", "--executor", "naive", "--traversal", "ring"},
       "traversal 'ring': executor 'naive' has no cached tiles"},
      {{"2d5pt", "--size", "40x40", "--traversal", "zig-zag"},
       "traversal 'zig-zag': nothing streams, all rows of a tile fit in registers"},
      {{"gradient2d", "--size", "40x40", "--blocking", "temporal"}, "'temporal'"},
  };
  for (const auto& [arguments, expected] : cases) {
    const auto r = dwell_cli(stencil(arguments));
    EXPECT_EQ(r.code, 1) << expected;
    EXPECT_TRUE(holds(r.err, expected));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
  }
}

TEST(cli_stencil, a_request_for_tiles_is_a_request_for_perks) {
  const auto j = dwell_cli(stencil({"2d5pt", "--size", "40x40", "--steps", "9", "--depth", "3",
                                    "--json", "-"}))
                     .json();
  EXPECT_EQ(j.at("executor"), "perks");
  EXPECT_EQ(j.at("plan").at("steps_per_exchange"), 3);
}

TEST(cli_stencil, rows_that_stream_go_in_the_order_asked_for) {
  for (const std::string order : {"static", "zig-zag", "ring"}) {
    const auto j = dwell_cli(stencil({"2d5pt", "--size", "60x270", "--steps", "9", "--policy",
                                      "none", "--traversal", order, "--json", "-"}))
                       .json();
    EXPECT_EQ(j.at("executor"), "perks");
    EXPECT_EQ(j.at("plan").at("traversal"), order);
    EXPECT_TRUE(holds(j.at("reason").get<std::string>(), " streamed, " + order));
  }
}

TEST(cli_stencil, a_report_says_which_weights_were_used) {
  const auto j = dwell_cli(stencil({"2d5pt", "--size", "9x9", "--json", "-"})).json();
  EXPECT_EQ(j.at("stencil").at("weights").size(), 5u);
  EXPECT_EQ(j.at("stencil").at("default_weights"), true);
  const auto again = dwell_cli(stencil({"2d5pt", "--size", "9x9", "--weights", "0,.25,.25,.25,.25",
                                        "--json", "-"}))
                         .json();
  EXPECT_EQ(again.at("stencil").at("weights"), (std::vector<double>{0, .25, .25, .25, .25}));
  EXPECT_EQ(again.at("stencil").at("default_weights"), false);
}

TEST(cli_stencil, a_report_says_how_to_do_it_again) {
  const auto problem = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"2d5pt", "--size", "9x9", "--json", "-"});
    return dwell_cli(stencil(more)).json();
  };
  auto j = problem({"--steps", "7"});
  EXPECT_EQ(j.at("max_steps"), 7);
  EXPECT_TRUE(j.at("until").is_null() && j.at("check_every").is_null());
  j = problem({"--until", "1e-3"});
  EXPECT_EQ(j.at("max_steps"), 1000000);
  EXPECT_EQ(j.at("until"), 1e-3);
  EXPECT_EQ(j.at("check_every"), 100);
  j = problem({"--until", "1e-3", "--check-every", "30", "--max-steps", "500"});
  EXPECT_EQ(j.at("max_steps"), 500);
  EXPECT_EQ(j.at("check_every"), 30);
}

TEST(cli_stencil, no_steps_make_or_convert_a_field) {
  const scratch_folder in;
  for (const auto* executor : {"auto", "naive", "host-loop", "persistent", "perks"}) {
    const auto r = dwell_cli(stencil({"2d5pt", "--size", "9x9", "--initial", "random:3", "--steps",
                                      "0", "-o", in("a.npy"), "--executor", executor}));
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(holds(r.out, "0 steps done"));
  }
  const auto once = read_text(in("a.npy"));
  EXPECT_EQ(
      dwell_cli(stencil({"2d5pt", "--input", in("a.npy"), "--steps", "0", "-o", in("b.npy")})).code,
      0);
  EXPECT_EQ(read_text(in("b.npy")), once);
  EXPECT_EQ(
      dwell_cli(stencil({"2d5pt", "--input", in("a.npy"), "--steps", "0", "-o", in("b.png")})).code,
      0);
}

TEST(cli_stencil, a_report_says_on_how_many_threads) {
  for (const auto* executor : {"persistent", "perks"}) {
    const auto r = dwell_cli(stencil(
        {"2d5pt", "--size", "40x3000", "--steps", "2", "--executor", executor, "--json", "-"}));
    const int threads = r.json().at("plan").at("teams");
    EXPECT_EQ(threads == 2, executor == std::string("persistent")) << threads;
    const auto text =
        dwell_cli(stencil({"2d5pt", "--size", "40x3000", "--steps", "2", "--executor", executor}));
    EXPECT_TRUE(
        holds(text.out, executor + (" on " + std::to_string(threads)) + " threads, policy"));
  }
  EXPECT_TRUE(holds(dwell_cli({"stencil", "--help"}).out, "every tile of its plan"));
}

TEST(cli_stencil, says_when_no_cell_can_change) {
  const auto r = dwell_cli(stencil({"2d5pt", "--size", "2x9"}));
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(holds(r.out, "no cell can change: all belong to the fixed border"));
}

TEST(cli_stencil, a_field_beyond_memory_is_refused_before_any_of_it_is_taken) {
  expect_refused(stencil({"2d5pt", "--size", "1000000x1000000"}),
                 "too little memory: 3 copies of 1000000x1000000 cells need 21.8 TiB, ", 4);
  expect_refused(stencil({"2d5pt", "--size", "1000000x1000000", "--precision", "f32"}),
                 "need 10.9 TiB, ", 4);
}

TEST(cli_stencil, the_reason_is_true_where_nothing_can_be_cached) {
  const auto r = dwell_cli(
      stencil({"2d5pt", "--size", "40x40", "--steps", "20", "--policy", "shared", "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("executor"), "perks");
  ASSERT_EQ(j.at("plan").at("cells").at("in_scratch"), 0);
  EXPECT_EQ(j.at("plan").at("cells").at("streamed"), 40 * 40);
  EXPECT_TRUE(starts(j.at("reason"), "no other executor caches anything on the chip; "));
  EXPECT_TRUE(holds(j.at("reason"), "nothing can be cached in private memory with these tiles"));
  // Under a policy that asks for nothing there is nothing to say, nor where rows stay.
  for (const char* policy : {"none", "registers"}) {
    const auto other = dwell_cli(stencil({"2d5pt", "--size", "40x40", "--steps", "2", "--executor",
                                          "perks", "--policy", policy, "--json", "-"}));
    EXPECT_FALSE(holds(other.json().at("reason"), "nothing can be cached"));
  }
}

TEST(cli_stencil, help_lists_the_stencils) {
  const auto r = dwell_cli({"stencil", "--help"});
  EXPECT_EQ(r.code, 0);
  for (const char* part : {"2d5pt", "3d7pt", "gradient2d", "--boundary", "--until"})
    EXPECT_TRUE(holds(r.out, part));
}

}  // namespace
}  // namespace dwell::test
