// SPDX-License-Identifier: MIT
// A program of its own, because dwell must start where cuSPARSE and cuBLAS are missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/output.hpp"
#include "compare/peers/child_process.hpp"
#include "linear/peers/peers.hpp"

#include "dwell/formats/descriptor.hpp"

namespace dwell::app {

namespace {

namespace fs = std::filesystem;
constexpr const char* program = "peer-cusparse-cg";
constexpr const char* modes[] = {"stream", "graph"};

/// Where it may be: in the same folder, in the build tree, where it is installed.
std::vector<fs::path> places() {
  std::error_code failed;
  const auto here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  return {here / program, here.parent_path() / "peers" / program,
          here.parent_path() / DWELL_LIBEXEC / program};
}

/// Why it cannot be asked for this; empty if it can.
std::string obstacle(const comparison_request& r) {
  if (r.where.on() != backend::cuda) return "it runs on CUDA devices only";
  if (r.precision != "f64") return "it knows f64 only";
  if (r.options.preconditioner != preconditioner::none) return "it has no preconditioner";
  if (!DWELL_HAS_CUSPARSE_PEER) return "not built: cuSPARSE and cuBLAS were missing, or not wanted";
  return {};
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::vector<std::string> arguments(const comparison_request& r, const std::string& matrix) {
  std::vector<std::string> args = {"--json",        "-",
                                   "--iterations",  std::to_string(r.options.max_iterations),
                                   "--repetitions", std::to_string(r.runs.count),
                                   "--device",      std::to_string(r.where.ordinal()),
                                   "--rhs",         r.rhs};
  if (!r.options.fixed_iterations)
    args.insert(args.end(), {"--rtol", fmt::format("{}", r.options.rtol)});
  args.insert(args.end(), {"--", matrix});
  return args;
}

/// Fills a row from what the peer says of this mode.
void take(const json& said, const std::string& mode, compared_run& row) {
  for (const auto& one : said) {
    if (one.at("mode") != mode) continue;
    one.at("runs_us").get_to(row.us);
    std::sort(row.us.begin(), row.us.end());
    row.iterations = one.at("iterations");
    const auto& converged = one.at("converged");
    row.stopped =
        to_string(converged.is_boolean() && converged.get<bool>() ? stop_reason::converged
                                                                  : stop_reason::iteration_limit);
    row.residual = one.at("residual").at("relative_true");
    row.how.device = one.at("device");
    row.how.backend = to_string(backend::cuda);
    row.how.reason = fmt::format("cuSPARSE SpMV ({}) and cuBLAS, launched {}",
                                 one.at("spmv_algorithm").get<std::string>(),
                                 mode == "graph" ? "as CUDA graphs" : "in a stream");
    if (one.at("graph_iterations") != 0)
      row.how.reason += fmt::format(" of {} iterations", one.at("graph_iterations").get<int>());
    return;
  }
  throw json::out_of_range::create(0, "no results for mode " + mode, nullptr);
}

}  // namespace

bool add_cusparse(const comparison_request& request, const std::string& matrix,
                  std::vector<compared_run>& rows) {
  std::vector<compared_run> both;
  for (const char* mode : modes) {
    both.emplace_back(fmt::format("cusparse-{}", mode), "", "");
    both.back().peer = true;
  }
  const auto all = [&](compared_run::state how, const std::string& why) {
    for (auto& row : both) row.outcome = how, row.why = why;
  };
  const auto where = places();
  const auto found = std::find_if(where.begin(), where.end(), [](const fs::path& p) {
    std::error_code failed;
    return fs::is_regular_file(p, failed);
  });
  if (const auto why = obstacle(request); !why.empty()) {
    all(compared_run::state::unsupported, why);
  } else if (is_stream(matrix)) {
    all(compared_run::state::unsupported, matrix + " can be read once, and it reads it itself");
  } else if (found == where.end()) {
    all(compared_run::state::unsupported,
        fmt::format("not found: {} (looked for {})", program,
                    fmt::join(std::vector<std::string>(where.begin(), where.end()), ", ")));
  } else {
    request.runs.say("cusparse-stream and cusparse-graph");
    try {
      const auto outcome =
          run_child(found->string(), arguments(request, matrix), *request.runs.interrupt);
      if (*request.runs.interrupt) return false;
      if (outcome.code != 0 && outcome.code != 2)  // 2: not converged, which the rows say
        all(compared_run::state::failed,
            outcome.err.empty() ? fmt::format("{} ended with {}", program, outcome.code)
                                : last_line(outcome.err));
      else
        for (std::size_t i = 0; i < both.size(); ++i)
          take(json::parse(outcome.out), modes[i], both[i]);
    } catch (const json::exception& e) {
      all(compared_run::state::failed, fmt::format("{}: {}", program, e.what()));
    } catch (const std::system_error& e) {
      all(compared_run::state::failed, e.what());
    }
  }
  rows.insert(rows.end(), both.begin(), both.end());
  return true;
}

}  // namespace dwell::app
