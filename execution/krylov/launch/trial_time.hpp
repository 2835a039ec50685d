// SPDX-License-Identifier: MIT
// What an iteration takes, by runs of a few and of many.
#pragma once

namespace dwell {

/// Seconds of an iteration, by the least times of runs of `few` iterations and of `more` on top of
/// these. Other work makes runs longer, never shorter: where those of few took as long as those of
/// many, only a bound is known, and what a run costs besides its iterations is in it.
constexpr double seconds_of_iteration(double shorter, double longer, int few, int more) {
  return longer > shorter ? (longer - shorter) / more : longer / (few + more);
}

}  // namespace dwell
