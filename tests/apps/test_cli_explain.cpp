// SPDX-License-Identifier: MIT
// `dwell explain cg` from outside: plans on the CPU, and on devices that are not here.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

TEST(cli_explain, projects_no_time_of_a_cpu) {
  for (const char* kind : {"poisson2d:40x30", "trefethen:300", "convection2d:30x20:5"}) {
    const auto r = dwell_cli({"explain", "solve", kind, "--device", "cpu"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(holds(r.out, "no model of CPUs, so no projected time"));
    EXPECT_TRUE(holds(r.out, "best by the rates of a GPU; ")) << r.out;
    EXPECT_FALSE(holds(r.out, "least projected time")) << r.out;
  }
}

TEST(cli_explain, plan_and_all_policies) {
  const auto r = dwell_cli({"explain", "cg", "trefethen:500", "--device", "cpu", "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const auto* part :
       {"500 rows, 8,478 nonzeros", "2 threads", "model *", "one per thread",
        "measured: needs the device", "greedy", "barriers", "no model of CPUs", "streamed"})
    EXPECT_TRUE(holds(r.out, part));
  for (const auto& line : lines_of(r.out)) EXPECT_FALSE(line.size() && line.back() == ' ');
}

TEST(cli_explain, of_a_cpu_has_no_projected_times) {
  for (const std::string command : {"cg", "solve"})
    for (const std::string method : {"jacobi", "amg"})
      for (const std::string policy : {"auto", "model", "greedy"}) {
        const auto r = dwell_cli({"explain", command, "poisson2d:30x40", "--device", "cpu",
                                  "--preconditioner", method, "--policy", policy});
        EXPECT_EQ(r.code, 0) << r.err;
        EXPECT_TRUE(holds(r.out, "no model of CPUs, so no projected time")) << r.out;
        EXPECT_FALSE(holds(r.out, "least projected time")) << r.out;
      }
}

TEST(cli_explain, figures_agree) {
  const auto r = dwell_cli({"explain", "cg", "poisson2d:200x200", "--device", "cpu", "--threads",
                            "2", "--policy", "mixed", "--preconditioner", "jacobi", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("chosen"), "mixed");
  EXPECT_EQ(j.at("barriers"), 3);
  double none = 0;
  for (const auto& p : j.at("plans")) {
    const auto& bytes = p.at("bytes");
    const double all = bytes.at("cached").get<double>() + bytes.at("l2").get<double>() +
                       bytes.at("device_memory").get<double>();
    if (p.at("policy") == "none") {
      none = all;
      EXPECT_EQ(bytes.at("cached"), 0.0);
      EXPECT_EQ(p.at("tiles_in_scratch"), 0);
    } else {
      EXPECT_GT(bytes.at("cached").get<double>(), 0.0) << p.at("policy");
    }
    EXPECT_GE(all, none * 0.999) << p.at("policy") << ": kept or moved, each byte is somewhere";
    EXPECT_LE(p.at("tiles_in_registers").get<int>() + p.at("tiles_in_scratch").get<int>(),
              p.at("tiles_per_team").get<int>());
    EXPECT_LE(p.at("scratch_bytes").at("cached").get<std::size_t>(),
              j.at("device").at("scratch_per_team").get<std::size_t>());
    EXPECT_EQ(p.at("vectors").size(), 5u) << "x, r, p, q, d";
    EXPECT_TRUE(p.at("refusal").is_null());
  }
  EXPECT_GT(none, 0);
}

TEST(cli_explain, variants) {
  const auto explained = [](const char* variant) {
    const auto r = dwell_cli({"explain", "cg", "trefethen:300", "--device", "cpu", "--threads", "2",
                              "--variant", variant, "--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json();
  };
  const std::map<std::string, int> barriers = {
      {"textbook", 3}, {"single-reduction", 2}, {"pipelined", 1}};
  double bytes = 0;
  for (const auto* variant : {"textbook", "single-reduction", "pipelined"}) {
    const auto j = explained(variant);
    EXPECT_EQ(j.at("variant"), variant);
    EXPECT_EQ(j.at("barriers"), barriers.at(variant));
    EXPECT_EQ(j.at("variants_considered").size(), 0u);
    EXPECT_GE(j.at("bytes_per_iteration").get<double>(), bytes) << "fewer barriers, more bytes";
    bytes = j.at("bytes_per_iteration");
    std::vector<std::string> vectors;
    const auto plans = j.at("plans");
    for (const auto& v : plans.at(0).at("vectors")) vectors.push_back(v.at("name"));
    EXPECT_EQ(vectors.front(), "x");
  }
  const auto j = explained("auto");
  EXPECT_EQ(j.at("variant"), "textbook") << "on a CPU";
  EXPECT_EQ(j.at("variants_considered").size(), 1u);
}

TEST(cli_explain, a_device_that_is_not_here) {
  const auto r =
      dwell_cli({"explain", "cg", "poisson2d:300x300", "--device-facts", "a100", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("device").at("units"), 108);
  double least = 1e300, model = 0;
  for (const auto& p : j.at("plans")) {
    EXPECT_GT(p.at("projected_us").at("total").get<double>(), p.at("floor_us").get<double>());
    least = std::min(least, p.at("projected_us").at("total").get<double>());
    if (p.at("policy") == "model") model = p.at("projected_us").at("total");
  }
  EXPECT_EQ(model, least);

  const auto small =
      dwell_cli({"explain", "cg", "trefethen:2000", "--device-facts", "h200", "--json", "-"});
  ASSERT_EQ(small.code, 0) << small.err;
  const auto s = small.json();
  EXPECT_EQ(s.at("in_cluster"), true);
  EXPECT_TRUE(holds(s.at("teams_reason"), "one cluster"));
  for (const auto& p : s.at("plans")) {
    if (p.at("policy") != "model") continue;
    EXPECT_GT(p.at("tiles_in_registers").get<int>(), 0);
    EXPECT_EQ(p.at("tiles_in_registers").get<int>() + p.at("tiles_in_scratch").get<int>(),
              p.at("tiles_per_team"));
    EXPECT_GT(p.at("halo").get<int>(), 0);
    EXPECT_EQ(p.at("bytes").at("l2"), 0.0);
  }
  EXPECT_NEAR(s.at("barrier_us").get<double>(), 0.3, 1e-9);
  ASSERT_EQ(s.at("variants_considered").size(), 2u) << "nothing speaks for the textbook's here";
  double shortest = 1e300, chosen = 0;
  for (const auto& v : s.at("variants_considered")) {
    shortest = std::min(shortest, v.at("projected_us").at("total").get<double>());
    if (v.at("variant") == s.at("variant")) chosen = v.at("projected_us").at("total");
  }
  EXPECT_EQ(chosen, shortest);
}

/// Bytes, barriers and times of the parts beside those of the chosen plan.
void expect_parts_to_add_up(const nlohmann::json& j, std::size_t parts) {
  auto all = j.at("preconditioner_parts");
  ASSERT_EQ(all.size(), parts) << j.at("matrix");
  all.push_back(j.at("outer_iteration"));
  nlohmann::json plan;
  for (const auto& p : j.at("plans"))
    if (p.at("policy") == j.at("chosen")) plan = p;
  int barriers = 0;
  double us = 0;
  std::map<std::string, double> bytes;
  for (const auto& part : all) {
    EXPECT_GT(part.at("barriers").get<int>(), 0) << part;
    EXPECT_GT(part.at("rows").get<int>(), 0) << part;
    barriers += part.at("barriers").get<int>();
    for (const auto& [place, value] : part.at("bytes").items()) bytes[place] += value.get<double>();
    if (!part.at("projected_us").is_null()) us += part.at("projected_us").get<double>();
  }
  EXPECT_EQ(barriers, j.at("barriers"));
  for (const auto& [place, sum] : bytes) {
    const double planned = plan.at("bytes").at(place);
    EXPECT_NEAR(sum, planned, 1e-9 * planned + 1) << place;
  }
  const auto& projected = plan.at("projected_us").at("total");
  if (projected.is_null())
    EXPECT_EQ(us, 0.0);
  else
    EXPECT_NEAR(us / projected.get<double>(), 1.0, 1e-9);
}

TEST(cli_explain, parts_of_the_iteration_add_up) {
  const auto h200 = dwell_cli({"explain", "cg", "trefethen:20", "--device-facts", "h200"});
  struct asked {
    strings of;
    std::size_t parts;
    int applications;
  };
  for (const asked& one : {asked{{"poisson2d:60x60", "--preconditioner", "amg"}, 3, 1},
                           asked{{"poisson2d:60x60", "--preconditioner", "fsai"}, 2, 1},
                           asked{{"poisson2d:60x60", "--preconditioner", "block-jacobi"}, 1, 1},
                           asked{{"poisson2d:60x60", "--preconditioner", "chebyshev"}, 1, 1},
                           asked{{"convection2d:40x40:5", "--preconditioner", "ilu0"}, 2, 2},
                           asked{{"convection2d:40x40:5", "--preconditioner", "aggregation"}, 3, 2},
                           asked{{"poisson2d:60x60", "--preconditioner", "jacobi"}, 0, 0}})
    for (const strings& device :
         {strings{"--device", "cpu", "--threads", "2"}, strings{"--device-facts", "h200"}}) {
      if (device.size() == 2 && h200.code != 0) continue;  // a build without CUDA
      strings args = {"explain", "solve"};
      args.insert(args.end(), one.of.begin(), one.of.end());
      args.insert(args.end(), device.begin(), device.end());
      const auto text = dwell_cli(args);
      if (device.size() == 2 && one.of.back() == "aggregation") {
        EXPECT_EQ(text.code, 1);
        EXPECT_TRUE(holds(text.err, "expected a CPU, found a GPU")) << text.err;
        continue;
      }
      EXPECT_EQ(holds(text.out, "itself"), one.parts > 0) << text.out;
      args.insert(args.end(), {"--json", "-"});
      const auto r = dwell_cli(args);
      ASSERT_EQ(r.code, 0) << r.err;
      EXPECT_EQ(r.json().at("preconditioner_applications"), one.applications);
      expect_parts_to_add_up(r.json(), one.parts);
    }
}

TEST(cli_explain, wrong_command_lines) {
  expect_refused({"explain", "cg", "a", "--policy", "measured"}, "found 'measured'");
  expect_refused({"explain", "cg", "trefethen:20", "--device-facts", "k80"},
                 "v100, a100, h100, h200 or b200");
  expect_refused({"explain", "cg", "trefethen:20", "--device-facts", "h200", "--device", "cpu"},
                 "--device");
  const auto help = dwell_cli({"explain", "cg", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(holds(help.out, "Examples:\n  dwell explain cg "));
  for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace dwell::test
