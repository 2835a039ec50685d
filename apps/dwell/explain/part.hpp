// SPDX-License-Identifier: MIT
// What `dwell explain` does whatever it explains: the device, be it here or not, which files may
// not meet, and the answer, for people and as JSON. A problem has a part, which adds its arguments
// and explains:
//
//   struct my_part : explain_part {
//     void add(CLI::App& app);               // options, add_explained_device() among them
//     input_list inputs() const;             // files that it reads, by option
//     void check();                          // before the device is asked for
//     explanation explain(const device_facts& facts);
//   };
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/device_facts_option.hpp"
#include "cli/file_options.hpp"
#include "cli/output.hpp"
#include "report/json.hpp"

namespace dwell::app {

using input_list = std::vector<std::pair<std::string, std::string>>;

struct explain_part {
  device_choice device;
  device_facts_choice asked_facts;
  int threads = 0;
  threads_for work = threads_for::runs;
  destination json_target;
};

struct explanation {
  std::string text;
  json document;
};

template <class Part>
exit_code run_part(Part part) {
  output_files outputs;
  outputs.add(part.json_target);
  auto inputs = part.inputs();
  for (const auto& [option, file] : inputs)
    if (!file.empty()) outputs.protect(file);
  part.asked_facts.protect_from(outputs);
  inputs.emplace_back("--device-facts", part.asked_facts.file());
  require_one_reader(inputs);
  part.check();
  const explanation found = part.explain(
      part.asked_facts.given() ? part.asked_facts.read()
                               : resolve(part.device, part.threads, part.work).facts());
  if (!part.json_target.standard()) write_stdout(found.text);
  if (part.json_target) part.json_target.write(json_text(found.document));
  return exit_code::done;
}

/// The subcommand of a part.
template <class Part>
command add_part(CLI::App& app, Part made = {}) {
  const auto part = std::make_shared<Part>(std::move(made));
  part->add(app);
  add_json(app, part->json_target, "all this");
  return [part] { return run_part(*part); };
}

}  // namespace dwell::app
