// SPDX-License-Identifier: MIT
// bench-barrier: microseconds that the blocks of a GPU need to meet once, in the ways that a solver
// in one kernel may choose from. Ends with 77 and a line that says why where there is no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "barrier_rounds.hpp"

#include "dwell/device/device.hpp"

namespace dwell::bench {
namespace {

double median(const std::vector<double>& ascending) {
  const std::size_t h = ascending.size() / 2;
  return ascending.size() % 2 ? ascending[h] : 0.5 * (ascending[h - 1] + ascending[h]);
}

void print(const std::vector<barrier_row>& rows, bool csv) {
  if (csv) fmt::print("meeting,blocks,sums,median_us,min_us,max_us,why\n");
  for (const auto& r : rows) {
    const std::string what = r.sums ? "barrier and sum" : "barrier";
    if (csv && r.us.empty())
      fmt::print("\"{}\",{},{},,,,\"{}\"\n", r.name, r.blocks, r.sums, r.why);
    else if (csv)
      fmt::print("\"{}\",{},{},{},{},{},\n", r.name, r.blocks, r.sums, median(r.us), r.us.front(),
                 r.us.back());
    else if (r.us.empty())
      fmt::print("{:<16}{:<43}{:>4} blocks  not measured: {}\n", what, r.name, r.blocks, r.why);
    else
      fmt::print("{:<16}{:<43}{:>4} blocks  {:>6.3f} us  ({:.3f} to {:.3f})\n", what, r.name,
                 r.blocks, median(r.us), r.us.front(), r.us.back());
  }
}

int parse_and_run(int argc, char** argv) {
  barrier_request request;
  bool csv = false;
  CLI::App app("Microseconds per meeting of the blocks of a GPU");
  app.name("bench-barrier");
  app.add_option("--device", request.device, "CUDA device")->check(CLI::Range(0, 1023));
  app.add_option("--blocks", request.blocks, "Of the grid; 0: one per multiprocessor")
      ->check(CLI::Range(0, 1 << 16))
      ->capture_default_str();
  app.add_option("--rounds", request.rounds, "In one launch")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--repetitions", request.repetitions, "The median is printed, and the range")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--csv", csv, "Comma-separated values");
  app.footer("Example:\n  bench-barrier --repetitions 21");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  const cuda_presence found = find_cuda();
  if (found.devices == 0) {
    fmt::print(stderr, "bench-barrier: needs a GPU: {}\n", found.reason);
    return 77;
  }
  const device_facts facts = device::cuda(request.device).facts();
  const auto rows = measure_barriers(request);
  if (!csv)
    fmt::print("{}, blocks of {} threads, {} rounds in a launch, medians of {}\n", facts.name,
               barrier_lanes, request.rounds, request.repetitions);
  print(rows, csv);
  return 0;
}

}  // namespace
}  // namespace dwell::bench

int main(int argc, char** argv) {
  try {
    return dwell::bench::parse_and_run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench-barrier: {}\n", e.what());
    return 1;
  }
}
