// SPDX-License-Identifier: MIT
// Arrays that are whole on one rank, the root, and divided into pieces that follow each other, one
// for each rank.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "dwell/comm/communicator.hpp"

namespace dwell {

namespace detail {

/// A message for each piece of the whole. first_of(r): the first element of rank r's piece, and of
/// r = size() the number of all.
template <class T, class First>
std::vector<rank_message> pieces_of(const communicator& comm, T* whole, First&& first_of) {
  std::vector<rank_message> all;
  for (int r = 0; r < comm.size(); ++r) {
    const auto first = static_cast<std::size_t>(first_of(r)),
               next = static_cast<std::size_t>(first_of(r + 1));
    all.push_back({r, whole + first, (next - first) * sizeof(T)});
  }
  return all;
}

}  // namespace detail

/// Every rank gets its piece. `whole` counts on the root alone.
template <class T, class First>
void deal_pieces(communicator& comm, int root, const T* whole, std::span<T> mine,
                 First&& first_of) {
  std::vector<rank_message> out;
  // Nothing is written through the pointer of an outgoing message.
  if (comm.rank() == root) out = detail::pieces_of(comm, const_cast<T*>(whole), first_of);
  const auto messages = comm.messages(std::move(out), {{root, mine.data(), mine.size_bytes()}});
  messages->start();
  messages->finish();
}

/// The reverse: the root gets all pieces.
template <class T, class First>
void collect_pieces(communicator& comm, int root, std::span<const T> mine, T* whole,
                    First&& first_of) {
  std::vector<rank_message> in;
  if (comm.rank() == root) in = detail::pieces_of(comm, whole, first_of);
  const auto messages =
      comm.messages({{root, const_cast<T*>(mine.data()), mine.size_bytes()}}, std::move(in));
  messages->start();
  messages->finish();
}

}  // namespace dwell
