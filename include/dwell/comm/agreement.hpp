// SPDX-License-Identifier: MIT
// What all ranks know of all: values of each, sums in the order of the ranks (the same bits on all
// of them and in every run), and failures, which are those of all.
#pragma once
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/comm/communicator.hpp"

namespace dwell {

/// One value of each rank, in the order of the ranks.
template <class V>
std::vector<V> values_of_ranks(communicator& comm, const V& mine) {
  static_assert(std::is_trivially_copyable_v<V>);
  std::vector<V> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&mine, sizeof(V), all.data());
  return all;
}

/// The value of one rank.
template <class V>
V value_of_rank(communicator& comm, int rank, const V& mine) {
  return values_of_ranks(comm, mine)[static_cast<std::size_t>(rank)];
}

/// Is it true on any rank?
inline bool any_of_ranks(communicator& comm, bool mine) {
  for (const char yes : values_of_ranks(comm, static_cast<char>(mine)))
    if (yes) return true;
  return false;
}
/// Is it true on all of them?
inline bool all_of_ranks(communicator& comm, bool mine) { return !any_of_ranks(comm, !mine); }

/// combine(to, from) of `count` doubles of each rank, in the order of the ranks: `mine` becomes
/// that of all.
template <class Combine>
void combine_over_ranks(communicator& comm, double* mine, int count, Combine&& combine) {
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> all(n * static_cast<std::size_t>(comm.size()));
  comm.all_gather(mine, n * sizeof(double), all.data());
  for (std::size_t k = 0; k < n; ++k) mine[k] = all[k];
  for (std::size_t at = n; at < all.size(); at += n) combine(mine, all.data() + at);
}

/// The values that one rank has, on all of them; what the others give does not count.
template <class V>
std::vector<V> list_of_rank(communicator& comm, int rank, std::span<const V> mine) {
  const auto count = value_of_rank(comm, rank, mine.size()), at = static_cast<std::size_t>(rank);
  std::vector<V> padded(mine.begin(), mine.end()),
      all(count * static_cast<std::size_t>(comm.size()));
  padded.resize(count);
  comm.all_gather(padded.data(), count * sizeof(V), all.data());
  return {all.data() + at * count, all.data() + (at + 1) * count};
}
/// The text that one rank has, likewise.
inline std::string text_of_rank(communicator& comm, int rank, std::string_view mine) {
  const std::vector<char> text = list_of_rank(comm, rank, std::span<const char>(mine));
  return {text.begin(), text.end()};
}

/// What an exception is, besides its own type, that all ranks throw together: nobody waits for the
/// rank that has it.
struct DWELL_API agreed_failure {
  virtual ~agreed_failure() = default;
};

namespace detail {
/// To be called by all ranks with what f threw there, or null: returns where none failed, and else
/// throws on all ranks what the first of them threw.
DWELL_API void agree_on_failure(communicator& comm, std::exception_ptr failed);
}  // namespace detail

/// f() on every rank. If it throws on any of them (an exception derived from std::exception), all
/// throw an exception of that kind, with the message of the first rank that failed, which is an
/// agreed_failure too. f must not call the communicator.
template <class F>
auto together(communicator& comm, F&& f) -> decltype(f()) {
  std::exception_ptr failed;
  using result = decltype(f());
  if constexpr (std::is_void_v<result>) {
    try {
      f();
    } catch (const std::exception&) {
      failed = std::current_exception();
    }
    detail::agree_on_failure(comm, failed);
  } else {
    std::optional<result> made;
    try {
      made.emplace(f());
    } catch (const std::exception&) {
      failed = std::current_exception();
    }
    detail::agree_on_failure(comm, failed);
    return std::move(*made);
  }
}

}  // namespace dwell
