// SPDX-License-Identifier: MIT
// What a shell may complete behind an option or in place of an argument. CLI11's options have no
// place for it, so that it is kept beside them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dwell::app {

struct value_completions {
  enum kind {
    word,  ///< one of the words; one that ends in ':' goes on
    list,  ///< several of them, with commas between
    file   ///< the name of a file, or one of the words
  };
  std::vector<std::string> words = {};
  kind what = word;
  bool first_alone = false;  ///< only the first word of an argument that repeats
};

void set_completions(const CLI::Option* option, value_completions values);
/// No words and no file if nothing was set.
value_completions completions_of(const CLI::Option* option);

}  // namespace dwell::app
