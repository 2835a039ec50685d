// SPDX-License-Identifier: MIT
// Hands a system out to ranks, solves it there and collects the answer.
#include "linear/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "cli/signals.hpp"
#include "linear/right_hand_sides.hpp"
#include "linear/vectors.hpp"
#include "report/aligned_table.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/linear/distribute.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/divide.hpp"

#ifdef DWELL_HAVE_METIS
#include "dwell/metis.hpp"
#endif

namespace dwell::app {
namespace {

/// Without an order where rows stay in theirs. Nodes, or blocks of a preconditioner, stay whole.
template <class T>
row_division divide(const std::string& partition, const csr_view<T>& a, int ranks, int block_size) {
  const index node = std::max(1, block_size);
  if (partition == "rows") {
    row_division by{balanced_first_rows({a.row_ptr, static_cast<std::size_t>(a.rows) + 1}, ranks),
                    {}};
    for (int r = 1; r < ranks; ++r) {
      std::int64_t& first = by.first_rows[static_cast<std::size_t>(r)];
      if (first < a.rows) first -= first % node;
    }
    return by;
  }
#ifdef DWELL_HAVE_METIS
  return divide_by_parts(a, metis_parts(a, ranks), ranks, node);
#else
  throw unsupported_error("--partition metis: this dwell was built without METIS (DWELL_METIS)");
#endif
}

/// Vectors, one after another, each in that order.
std::vector<double> columns_in_order(std::span<const double> columns,
                                     std::span<const index> order) {
  std::vector<double> to;
  for (std::size_t k = 0; k < columns.size(); k += order.size()) {
    const std::vector<double> one = in_order(columns.subspan(k, order.size()), order);
    to.insert(to.end(), one.begin(), one.end());
  }
  return to;
}

/// How ranks solve.
struct ways {
  const rank_choice& choice;
  const device_choice& where;
  const std::string &partition, &precision;
  int threads;
  const solve_options& options;
  int count;               ///< number of right-hand sides
  divided_input* divided;  ///< what ranks have already, or null
};

/// What of the vectors that the first rank has is this one's.
template <class T>
solve_options options_of_rank(const ways& how, const distributed_matrix<T>& a,
                              std::span<const index> order) {
  const solve_options& all = how.options;
  const auto mine = [&](const std::vector<double>& columns) {
    return a.scatter_columns(order.empty() ? columns : columns_in_order(columns, order));
  };
  solve_options here = all;
  here.null_vectors = mine(all.null_vectors);
  here.preconditioning.near_null = mine(all.preconditioning.near_null);
  here.preconditioning.block_size = value_of_rank(*a.comm(), 0, all.preconditioning.block_size);
  if (a.comm()->rank() != 0) here.progress = {};
  return here;
}

/// A rank's part of a system.
template <class T>
struct rank_system {
  distributed_matrix<T> a;
  std::vector<T> b, x;       ///< its elements of each right-hand side and start vector
  std::vector<index> order;  ///< rows of the whole, on the first rank; empty: their own order
};

/// A system that the first rank has is handed out to all.
template <class T>
rank_system<T> handed_out(const std::shared_ptr<communicator>& comm, const ways& how,
                          const csr<T>& whole, const std::vector<T>& b, const std::vector<T>& x) {
  row_division by = together(*comm, [&] {
    return comm->rank() == 0 ? divide(how.partition, whole.view(), comm->size(),
                                      how.options.preconditioning.block_size)
                             : row_division{};
  });
  const std::vector<std::int64_t> first_rows =
      list_of_rank(*comm, 0, std::span<const std::int64_t>(by.first_rows));
  const bool renumbered = !by.order.empty();
  const csr<T> in_parts = renumbered ? in_order(whole.view(), by.order) : csr<T>{};
  const auto there = [&](const std::vector<T>& v) {
    return renumbered ? in_order(std::span<const T>(v), by.order) : v;
  };
  rank_system<T> mine{
      distributed_matrix<T>(comm, renumbered ? in_parts.view() : whole.view(), first_rows),
      {},
      {},
      {}};
  const std::size_t rows = x.size();
  for (int k = 0; k < how.count; ++k) {
    const auto at = b.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * rows);
    const std::vector<T> one =
        mine.a.scatter(there(std::vector<T>(at, at + static_cast<std::ptrdiff_t>(rows))));
    mine.b.insert(mine.b.end(), one.begin(), one.end());
  }
  mine.x = mine.a.scatter(there(x));
  mine.x.resize(mine.b.size(), T(0));
  mine.order = std::move(by.order);
  return mine;
}

/// A system of which each rank has its part already.
template <class T>
rank_system<T> taken(const std::shared_ptr<communicator>& comm, const ways& how) {
  divided_part part = how.divided->take_part(*comm);
  rank_system<T> mine{distribute<T>(comm, std::move(part.rows)), {}, {}, {}};
  if constexpr (std::is_same_v<T, double>) {
    mine.b = std::move(part.b);
    mine.x = std::move(part.x);
  } else {
    double most = 0;
    for (const double of_rank : values_of_ranks(*comm, largest_of(part.b)))
      most = std::max(most, of_rank);
    together(*comm, [&] {
      require_rhs_in_single(most);
      mine.b = to_single(part.b, "right-hand side", mine.a.first_row());
      mine.x = to_single(part.x, "start vector", mine.a.first_row());
    });
  }
  mine.x.resize(mine.b.size(), T(0));
  return mine;
}

/// How far the answer is from what it would be without rounding; of all ranks.
template <class T>
double largest_error_of(communicator& comm, std::span<const T> mine, const solve_report& report) {
  double largest = 0;
  for (const double of_rank :
       values_of_ranks(comm, largest_error(mine, exact_for_row_sums(report))))
    largest = std::isfinite(of_rank) ? std::max(largest, of_rank) : of_rank;
  return largest;
}

/// x: the answer, on the first rank, if that is wanted.
template <class T>
ranked_solve solve_as_rank(const std::shared_ptr<communicator>& comm, const ways& how,
                           rank_system<T> mine, std::vector<double>& x) {
  const distributed_matrix<T>& a = mine.a;
  const auto n = static_cast<std::size_t>(a.rows());
  rank_line line;
  line.share = a.share();
  const device where = device_of_rank(*comm, how.where, how.threads);
  if (where.on() == backend::cuda)
    line.gpu = where.ordinal();
  else
    line.threads = where.threads();
  std::optional<abrupt_stop> nothing_to_keep(std::in_place);
  distributed_solver<T> solver(where, a, options_of_rank(how, a, mine.order),
                               transport_of(how.choice));
  nothing_to_keep.reset();
  const double prepared = solver.setup().total();
  ranked_solve got;
  got.columns = solver.solve(std::span<const T>(mine.b), n, std::span<T>(mine.x), n, how.count);
  got.columns.front().setup = solver.setup();
  got.columns.front().setup_s += prepared;
  got.transport = solver.transport();
  line.solve_s = solve_seconds(got.columns);
  got.ranks = values_of_ranks(*comm, line);
  const std::span<const T> first = std::span<const T>(mine.x).first(n);
  if (how.divided && how.divided->asked.rhs.what == rhs_source::kind::row_sums && a.all_rows() > 0)
    got.largest_error = largest_error_of(*comm, first, got.columns.front());
  if (how.divided && !how.divided->asked.answer) return got;
  std::vector<T> answer = a.gather(first);
  if (comm->rank() != 0) return got;
  if (!mine.order.empty()) answer = from_order(std::span<const T>(answer), mine.order);
  if constexpr (std::is_same_v<T, double>)
    x = std::move(answer);
  else
    x.assign(answer.begin(), answer.end());
  return got;
}

ranked_solve solve_in(const std::shared_ptr<communicator>& comm, const ways& by,
                      const csr<double>& a, const std::vector<double>& b, std::vector<double>& x) {
  const bool single_precision = by.precision == "f32";
  if (by.divided && single_precision)
    return solve_as_rank<float>(comm, by, taken<float>(comm, by), x);
  if (by.divided) return solve_as_rank<double>(comm, by, taken<double>(comm, by), x);
  if (!single_precision) return solve_as_rank<double>(comm, by, handed_out(comm, by, a, b, x), x);
  csr<float> single;
  std::vector<float> b_single, x_single;
  together(*comm, [&] {
    if (comm->rank() != 0) return;
    single = convert<float>(a.view());
    b_single = rhs_to_single(b);
    x_single = to_single(x, "start vector");
  });
  return solve_as_rank<float>(comm, by, handed_out(comm, by, single, b_single, x_single), x);
}

template <class F>
std::int64_t most_of(const ranked_solve& r, F&& f) {
  std::int64_t most = 0;
  for (const rank_line& line : r.ranks) most = std::max<std::int64_t>(most, f(line.share));
  return most;
}

}  // namespace

void add_partition(CLI::App& app, std::string& value) {
  auto* option = add_choice(
      app, "--partition", value, {"rows", "metis"},
      "Which rows a rank gets: rows that follow each other, as many nonzeros each; or parts "
      "of the graph between which few entries lie, by METIS");
#ifdef DWELL_HAVE_METIS
  static_cast<void>(option);
#else
  set_completions(option, {{"rows"}});
#endif
}

ranked_solve solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const device_choice& where, const std::string& partition,
                            const std::string& precision, int threads, const csr<double>& a,
                            const std::vector<double>& b, std::vector<double>& x,
                            const solve_options& options, int count, divided_input* divided) {
  ranked_solve got;
  const ways by{choice, where, partition, precision, threads, options, count, divided};
  on_each_rank(choice, comm, [&](const std::shared_ptr<communicator>& one) {
    if (is_first(comm) && one->rank() == 0) {
      got = solve_in(one, by, a, b, x);
    } else {  // a thread, or a process that has nothing to begin with
      std::vector<double> nothing;
      solve_in(one, by, csr<double>(), {}, nothing);
    }
  });
  return got;
}

std::string describe_ranks(const ranked_solve& r) {
  return fmt::format("{} ({}), at most {} rows and {} nonzeros each", r.ranks.size(), r.transport,
                     format_count(most_of(r, [](const rank_share& s) { return s.rows; })),
                     format_count(most_of(r, [](const rank_share& s) { return s.nonzeros; })));
}

std::string describe_ghosts(const ranked_solve& r) {
  return fmt::format(
      "each gets at most {} elements of {} per product",
      format_count(most_of(r, [](const rank_share& s) { return s.ghosts; })),
      format_plural(most_of(r, [](const rank_share& s) { return s.neighbours; }), "neighbour"));
}

std::string ranks_table(const ranked_solve& r) {
  aligned_table out;
  const bool gpus = !r.ranks.empty() && r.ranks.front().gpu >= 0;
  for (const char* head : {"rank", "first row", "rows", "nonzeros", "interior rows", "ghosts",
                           "sent", "neighbours", gpus ? "GPU" : "threads", "solve s"})
    out.head(head, true);
  for (std::size_t k = 0; k < r.ranks.size(); ++k) {
    const auto& [share, threads, gpu, solve_s] = r.ranks[k];
    out.row({std::to_string(k), format_count(share.first_row + 1), format_count(share.rows),
             format_count(share.nonzeros), format_count(share.interior_rows),
             format_count(share.ghosts), format_count(share.sent), std::to_string(share.neighbours),
             std::to_string(gpus ? gpu : threads), fmt::format("{:.6f}", solve_s)});
  }
  return out.text();
}

json ranks_json(const ranked_solve& r) {
  json all = json::array();
  for (const auto& [share, threads, gpu, solve_s] : r.ranks)
    all.push_back({{"first_row", share.first_row},
                   {"rows", share.rows},
                   {"nonzeros", share.nonzeros},
                   {"interior_rows", share.interior_rows},
                   {"ghosts", share.ghosts},
                   {"sent", share.sent},
                   {"neighbours", share.neighbours},
                   {"threads", gpu < 0 ? json(threads) : json(nullptr)},
                   {"gpu", gpu < 0 ? json(nullptr) : json(gpu)},
                   {"solve_s", solve_s}});
  return all;
}

}  // namespace dwell::app
