// SPDX-License-Identifier: MIT
// No output takes the place of an input: every output of every command against each of its inputs,
// under the same name, by links and by other spellings. Where a run may go on in its own file, that
// is written here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// A command with what it needs; "@" stands for the file in the place of an input or an output.
struct overwriting_command {
  strings words;
  strings inputs, outputs;  ///< options; "" is an argument
  std::string ending;       ///< that names of its outputs need
  strings in_place = {};    ///< "--input --output": fine
};

void PrintTo(const overwriting_command& c, std::ostream* to) {
  *to << testing::PrintToString(c.words);
}

const overwriting_command commands[] = {
    {{"solve"},
     {"", "--rhs", "--x0", "--null-vectors", "--near-null", "--coordinates"},
     {"--output", "--history", "--json"},
     ".npy",
     {"--x0 --output"}},
    {{"cg"}, {"", "--rhs", "--x0"}, {"--output", "--history", "--json"}, ".npy", {"--x0 --output"}},
    {{"stencil", "2d5pt", "--size", "9x9"},
     {"--input", "--source", "--device-facts"},
     {"--output", "--json"},
     ".npy",
     {"--input --output"}},
    {{"convolve"}, {"", "--filter"}, {"--output", "--json"}, ".npy", {" --output"}},
    {{"convert"}, {""}, {"--output"}, ".mtx"},
    {{"info"}, {""}, {"--json"}, ".json"},
    {{"generate", "trefethen:9"}, {}, {"--output"}, ".mtx"},
    {{"generate", "elasticity2d:3x3", "-o", "/dev/null"}, {}, {"--coordinates"}, ".mtx"},
    {{"explain", "solve"},
     {"", "--near-null", "--coordinates", "--device-facts"},
     {"--json"},
     ".json"},
    {{"explain", "cg"}, {"", "--device-facts"}, {"--json"}, ".json"},
    {{"explain", "stencil", "2d5pt", "--size", "9x9"},
     {"--source", "--device-facts"},
     {"--json"},
     ".npy"},
    {{"explain", "convolve", "--size", "9x9"}, {"--filter", "--device-facts"}, {"--json"}, ".npy"},
    {{"compare", "solve"}, {"", "--near-null", "--coordinates"}, {"--output"}, ".json"},
    {{"compare", "cg"}, {"", "--device-facts"}, {"--output"}, ".json"},
    {{"compare", "stencil", "2d5pt", "--size", "9x9"},
     {"--source", "--device-facts"},
     {"--output"},
     ".npy"},
    {{"compare", "convolve", "--size", "9x9"}, {"--filter"}, {"--output"}, ".npy"},
    {{"measure"}, {}, {"--json", "--csv", "--save"}, ".json"},
    {{"model", "sweep", "2d5pt"}, {}, {"--json", "--csv"}, ".json"},
    {{"model", "scaling", "cg", "--size", "64x64x64"},
     {"--device-facts"},
     {"--json", "--csv"},
     ".json"},
    {{"trace", "2d5pt", "--size", "9x9"}, {}, {"--json", "--csv"}, ".json"},
    {{"completion", "bash"}, {}, {"--output"}, ".txt"},
    {{"man", "cg"}, {}, {"--output"}, ".txt"},
};

class cli_overwrites : public testing::TestWithParam<overwriting_command> {
 protected:
  /// The command with this file as an input and that one as an output.
  strings run(const std::string& input, const std::string& file, const std::string& output,
              const std::string& to) const {
    const overwriting_command& c = GetParam();
    strings args = c.words;
    const bool needs_argument = std::find(c.inputs.begin(), c.inputs.end(), "") != c.inputs.end();
    if (input.empty())
      args.push_back(file);
    else if (needs_argument)
      args.push_back(c.words.back() == "convolve" ? "u.npy" : "trefethen:9");
    const bool filter = std::find(c.words.begin(), c.words.end(), "convolve") != c.words.end();
    if (filter && input != "--filter") args.insert(args.end(), {"--filter", "box:3"});
    if (!input.empty()) args.insert(args.end(), {input, file});
    if ((input == "--coordinates" || input == "--near-null") && c.words.front() != "compare")
      args.insert(args.end(), {"--preconditioner", "amg"});
    args.insert(args.end(), {output, to});
    return args;
  }
  void expect_kept(const strings& args, const std::string& output, const std::string& file) const {
    const auto before = read_text(file);
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 1) << testing::PrintToString(args);
    EXPECT_TRUE(holds(r.err, "dwell: " + output + ": '") &&
                holds(r.err, "' is an input of this run and would be overwritten"))
        << testing::PrintToString(args);
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_EQ(read_text(file), before);
  }
};

TEST_P(cli_overwrites, no_output_takes_the_place_of_an_input) {
  namespace fs = std::filesystem;
  const overwriting_command& c = GetParam();
  auto inputs = c.inputs;
  inputs.push_back("--config");
  for (const auto& input : inputs)
    for (const auto& output : c.outputs) {
      if (std::find(c.in_place.begin(), c.in_place.end(), input + " " + output) != c.in_place.end())
        continue;
      const scratch_folder in;
      const auto file = in.write("f" + c.ending, "# what would be lost\n");
      fs::create_symlink(file, in("link" + c.ending));
      fs::create_hard_link(file, in("other" + c.ending));
      fs::create_directory(in("folder"));
      for (const std::string& to :
           {file, in("link" + c.ending), in("other" + c.ending), in("folder/../f" + c.ending)})
        expect_kept(run(input, file, output, to), output, file);
    }
}

INSTANTIATE_TEST_SUITE_P(commands, cli_overwrites, testing::ValuesIn(commands), [](const auto& of) {
  std::string name = std::to_string(of.index);
  for (const auto& word : of.param.words)
    if (std::all_of(word.begin(), word.end(), [](char x) { return ('a' <= x && x <= 'z'); }))
      name += "_" + word;
  return name;
});

TEST(cli_overwrites_of_pages, a_page_that_is_the_configuration_is_kept) {
  const scratch_folder in;
  const auto file = in.write("dwell-cg.1", "# options\n");
  expect_refused({"man", "--directory", in(""), "--config", file}, "would be overwritten");
  EXPECT_EQ(read_text(file), "# options\n");
  EXPECT_EQ(in.files(), (strings{"dwell-cg.1"}));
}

TEST(cli_overwrites_of_pages, standard_input_is_read_by_one_of_configuration_and_others) {
  const strings runs[] = {{"solve"},
                          {"cg"},
                          {"info"},
                          {"convert", "-o", "/dev/null"},
                          {"convolve", "--filter", "box:3"},
                          {"explain", "solve"},
                          {"compare", "cg"}};
  for (strings args : runs) {
    const bool image = args.front() == "convolve";
    args.insert(args.end(), {"--config", "-"});
    const auto both = dwell_cli(
        args, {.input = "[" + args.front() + "]\n" + (image ? "IMAGE" : "MATRIX") + " = \"-\"\n"});
    strings by_word = args;
    by_word.push_back("-");
    const auto word = dwell_cli(by_word, {.input = "\n"});
    for (const auto& r : {both, word}) {
      if (args.front() == "explain" || args.front() == "compare") {
        EXPECT_EQ(word.code, 1);
        EXPECT_TRUE(holds(word.err, "can be read once, and --config reads it")) << word.err;
        continue;
      }
      EXPECT_EQ(r.code, 1);
      EXPECT_TRUE(holds(r.err, std::string(image ? "IMAGE" : "MATRIX") +
                                   ": '/dev/stdin' can be read once, and --config reads it"))
          << r.err;
    }
  }
}

}  // namespace
}  // namespace dwell::test
