// SPDX-License-Identifier: MIT
// Divides a grid among ranks, solves and collects the answer.
#include "grid/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/aligned_table.hpp"
#include "report/units.hpp"

namespace dwell::app {

template <class T>
ranked_grid solve_grid_on_ranks(const rank_choice& choice, communicator* comm, int threads,
                                const grid_description<T>& d, const std::vector<T>& f,
                                std::vector<T>& u, const grid_options& options,
                                const grid_division& division) {
  ranked_grid got;
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    const bool first = is_first(comm) && one->rank() == 0;
    grid_options here = options;
    if (!first) here.progress = {};
    const grid_part<T> part(*one, d, division);
    distributed_grid_solver<T> solver(device::cpu(threads_of_rank(*one, threads)), one, part.d,
                                      here, division);
    const std::vector<T> mine = solver.scatter(first ? f : std::vector<T>());
    std::vector<T> answer = solver.scatter(first ? u : std::vector<T>());
    distributed_grid_report report = solver.solve(mine, answer);
    std::vector<T> whole = solver.gather(answer);
    if (!first) return;
    u = std::move(whole);
    got = {std::move(report), solver.transport()};
  });
  return got;
}

template ranked_grid solve_grid_on_ranks(const rank_choice&, communicator*, int,
                                         const grid_description<double>&,
                                         const std::vector<double>&, std::vector<double>&,
                                         const grid_options&, const grid_division&);
template ranked_grid solve_grid_on_ranks(const rank_choice&, communicator*, int,
                                         const grid_description<float>&, const std::vector<float>&,
                                         std::vector<float>&, const grid_options&,
                                         const grid_division&);

std::string describe_ranks(const ranked_grid& r) {
  int most = 0;
  for (const grid_rank_report& one : r.report.ranks) most = std::max(most, one.share.count);
  const int divided = r.report.divided_levels;
  return fmt::format("{} ({}), slabs of at most {}; {}", r.report.ranks.size(), r.transport,
                     format_plural(most, "layer"),
                     r.report.ranks.size() == 1 ? "all levels are its"
                     : divided == 0
                         ? "no level divided, cycles are rank 0's"
                         : format_plural(divided, "level") + " divided, the others rank 0's");
}

std::string describe_exchanges(const ranked_grid& r) {
  const auto& ranks = r.report.ranks;
  const auto most = [&](auto member) {
    auto m = ranks.front().*member;
    for (const grid_rank_report& one : ranks) m = std::max(m, one.*member);
    return m;
  };
  return fmt::format(
      "at most {} and {} a rank, {}; {} in them, waits among it",
      format_plural(static_cast<std::int64_t>(most(&grid_rank_report::messages)), "message"),
      format_bytes(static_cast<double>(most(&grid_rank_report::bytes))),
      format_plural(static_cast<std::int64_t>(most(&grid_rank_report::sums)), "sum"),
      format_seconds(most(&grid_rank_report::exchange_s)));
}

std::string ranks_table(const ranked_grid& r) {
  aligned_table out;
  for (const char* head : {"rank", "first layer", "layers", "threads", "messages", "sent", "sums",
                           "exchange s", "solve s"})
    out.head(head, true);
  for (std::size_t k = 0; k < r.report.ranks.size(); ++k) {
    const grid_rank_report& one = r.report.ranks[k];
    out.row({std::to_string(k), std::to_string(one.share.first), std::to_string(one.share.count),
             std::to_string(one.threads), std::to_string(one.messages),
             format_bytes(static_cast<double>(one.bytes)), std::to_string(one.sums),
             fmt::format("{:.6f}", one.exchange_s), fmt::format("{:.6f}", one.solve_s)});
  }
  return out.text();
}

json ranks_json(const ranked_grid& r) {
  json all = json::array();
  for (const grid_rank_report& one : r.report.ranks)
    all.push_back({{"first_layer", one.share.first},
                   {"layers", one.share.count},
                   {"threads", one.threads},
                   {"messages", one.messages},
                   {"bytes", one.bytes},
                   {"sums", one.sums},
                   {"exchange_s", one.exchange_s},
                   {"solve_s", one.solve_s}});
  return all;
}

}  // namespace dwell::app
