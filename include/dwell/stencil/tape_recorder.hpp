// SPDX-License-Identifier: MIT
// Nodes of a tape while it is being made: equal ones are made once.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "dwell/stencil/definition.hpp"

namespace dwell::detail {

/// The tape of a thread that is recording.
class tape_recorder {
 public:
  explicit tape_recorder(cell_tape& tape) : tape_(tape), outer_(std::exchange(now(), this)) {}
  ~tape_recorder() { now() = outer_; }
  tape_recorder(const tape_recorder&) = delete;
  tape_recorder& operator=(const tape_recorder&) = delete;

  /// The node; that of an equal one before it.
  int add(const cell_node& n) {
    const auto key = std::make_tuple(static_cast<int>(n.op), n.operands, n.index, n.offset,
                                     std::bit_cast<std::uint64_t>(n.value));
    const auto [found, fresh] = known_.emplace(key, static_cast<int>(tape_.nodes.size()));
    if (fresh) tape_.nodes.push_back(n);
    return found->second;
  }
  static tape_recorder*& now() {
    static thread_local tape_recorder* recorder = nullptr;
    return recorder;
  }

 private:
  cell_tape& tape_;
  tape_recorder* outer_;
  std::map<std::tuple<int, std::array<int, 3>, int, std::array<int, 3>, std::uint64_t>, int> known_;
};

}  // namespace dwell::detail
