// SPDX-License-Identifier: MIT
// --device-facts: files of facts mean what the names of known devices mean, and what is wrong with
// a file is one line that names it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "json_reference.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

const std::string folder = DWELL_DEVICE_FACTS;

json shipped(const std::string& name) {
  std::ifstream in(folder + "/" + name + ".json");
  return json::parse(in);
}

strings question(const std::string& facts) {
  return {"explain", "stencil", "2d5pt", "--size", "1320x1200", "--device-facts", facts};
}

TEST(cli_device_facts, the_shipped_files_mean_what_their_names_mean) {
  for (const char* name : {"v100", "a100", "h100", "h200", "b200"}) {
    const auto file = folder + "/" + name + ".json";
    const auto by_name = explain_stencil({"2d5pt", "--size", "1320x1200", "--device-facts", name});
    EXPECT_EQ(by_name, explain_stencil({"2d5pt", "--size", "1320x1200", "--device-facts", file}))
        << name;
    const auto said = dwell_cli(question(file));
    EXPECT_TRUE(holds(said.out, "not here: from a file of facts")) << said.err;
  }
}

TEST(cli_device_facts, the_shipped_files_are_as_documented) {
  const auto fields = documented_fields().at("device facts");
  for (const char* name : {"v100", "a100", "h100", "h200", "b200"})
    EXPECT_EQ(complaints_about(shipped(name), fields), strings{}) << name;
}

TEST(cli_device_facts, rates_of_a_file_change_the_projection) {
  const scratch_folder in;
  auto facts = shipped("h200");
  facts["rates"]["memory_bytes_per_s"] = 0.5 * facts["rates"]["memory_bytes_per_s"].get<double>();
  // Both plans are equal, so that memory takes twice as long.
  const auto memory_us = [](const std::string& name) {
    return explain_stencil({"2d5pt", "--size", "16384x16384", "--device-facts", name, "--policy",
                            "shared", "--blocking", "spatial"})
        .at("plans")
        .at(0)
        .at("projected_us")
        .at("device_memory")
        .get<double>();
  };
  EXPECT_NEAR(memory_us(in.write("slow.json", facts.dump())), 2 * memory_us("h200"), 1e-6);
}

TEST(cli_device_facts, what_is_wrong_with_a_file_is_one_line) {
  const scratch_folder in;
  const auto refused = [&](const std::string& file, const std::string& why) {
    expect_refused(question(file), why);
  };
  refused(in("missing.json"),
          "--device-facts: expected v100, a100, h100, h200 or b200, or the name of a file");
  refused(folder, "expected a file of device facts, found: a folder");
  refused(in.write("text.json", "{\n\"name\": h200\n}"),
          "text.json:2: expected device facts in JSON, found ");
  refused(in.write("list.json", "[1]"),
          "expected a JSON object of device facts, found a JSON array");
  refused(in.write("empty.json", ""), "empty.json:1: expected device facts in JSON");
  auto facts = shipped("h200");
  facts["rates"]["barrier_s"] = "long";
  refused(in.write("word.json", facts.dump()),
          "word.json: rates.barrier_s: expected a number, found 'long'");
  facts["rates"]["barrier_s"] = json::array({1});
  refused(in.write("array.json", facts.dump()), "rates.barrier_s: expected a number, text");
  facts["rates"].erase("barrier_s");
  refused(in.write("short.json", facts.dump()),
          "short.json: expected field rates.barrier_s, found none");
  refused(in.write("long.json", std::string((1 << 20) + 1, ' ')), "found: more than 1 MiB");
}

TEST(cli_device_facts, an_output_does_not_overwrite_the_file) {
  const scratch_folder in;
  const auto file = in.write("facts.json", shipped("h200").dump());
  auto args = question(file);
  args.insert(args.end(), {"--json", file});
  expect_refused(args, "facts.json");
}

/// Plans for a run are made with facts of the device that runs.
TEST(cli_device_facts, facts_of_another_device_are_refused_by_what_runs) {
  for (const strings& run :
       {strings{"cg", "trefethen:20"}, strings{"solve", "trefethen:20"},
        strings{"compare", "cg", "trefethen:20"}, strings{"compare", "solve", "trefethen:20"},
        strings{"stencil", "2d5pt", "--size", "9x9"},
        strings{"compare", "stencil", "2d5pt", "--size", "9x9"}}) {
    auto args = run;
    args.insert(args.end(), {"--device", "cpu", "--device-facts", "h200"});
    expect_refused(args, "--device-facts: expected facts of the device that runs");
    args.back() = folder + "/h200.json";
    expect_refused(args, "h200.json: expected facts of the device that runs");
  }
}

TEST(cli_device_facts, are_not_for_ranks) {
  for (const strings& run :
       {strings{"cg", "trefethen:20"}, strings{"stencil", "2d5pt", "--size", "9x9"}}) {
    auto args = run;
    args.insert(args.end(), {"--ranks", "2", "--device-facts", "h200"});
    expect_refused(args, "--device-facts: not with --ranks or --distributed");
  }
}

TEST(cli_device_facts, a_run_takes_facts_of_this_device) {
  const scratch_folder in;
  const auto here = dwell_cli({"info", "--device", "cpu", "--threads", "1", "--json", "-"})
                        .json()
                        .at("devices")
                        .at(0);
  auto facts = shipped("h200");
  facts["backend"] = "cpu";
  facts["name"] = here.at("name");
  facts["units"] = 1;
  const auto file = in.write("here.json", facts.dump());
  const auto r = dwell_cli({"cg", "trefethen:20", "--device", "cpu", "--executor", "perks",
                            "--policy", "model", "--threads", "1", "--device-facts", file});
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace dwell::test
