// SPDX-License-Identifier: MIT
// Allocates pages of its own for every team.
#include "dwell/execution/device/scratch_cpu.hpp"

#include <fmt/format.h>

#include <new>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"

namespace dwell::cpu {
namespace {

constexpr std::align_val_t line{64};  // no two teams write the same one

}  // namespace

void team_scratch::release::operator()(std::byte* p) const { ::operator delete(p, line); }

team_scratch::team_scratch(int teams, std::size_t bytes) : bytes_(bytes) {
  try {
    of_.reserve(static_cast<std::size_t>(teams));
    for (int t = 0; t < teams; ++t)
      of_.emplace_back(static_cast<std::byte*>(::operator new(bytes + 16, line)));
  } catch (const std::bad_alloc&) {
    throw device_error(fmt::format("not enough memory: {} threads need {} each of their own", teams,
                                   byte_text(static_cast<double>(bytes))));
  }
}

}  // namespace dwell::cpu
