// SPDX-License-Identifier: MIT
// The two ways to measure what one repetition of something takes (Zhang 2023, section 3.3): by the
// difference of two repeat counts, which is free of what the repetitions cost together (a launch, a
// meeting), and by the clock around many of them; on a GPU that clock is the multiprocessor's.
// Pure functions.
#pragma once
#include <vector>

namespace dwell::app {

/// What a run took.
struct run_time {
  double seconds = 0;
  double inside_s = 0;  ///< time of its repetitions alone, by a clock that they run beside; 0: none
  double cycles = 0;    ///< cycles of that clock
  run_time(double s) : seconds(s) {}
  run_time(double s, double inside, double c) : seconds(s), inside_s(inside), cycles(c) {}
};

/// Seconds of runs with many and with few repetitions, one of each per sample.
struct repeated_runs {
  double many = 2, few = 1;  ///< repetitions of a run
  std::vector<double> many_s, few_s;
  std::vector<double> inside_s, cycles;  ///< times of the runs with many; empty: no clock inside
};

/// Time of one repetition; all in seconds.
struct repetition_time {
  double median = 0, min = 0, max = 0;
  double sigma = 0;   ///< standard deviation (Zhang 2023, equation 3.5)
  double clock = 0;   ///< by the clock: median time of a long run over its repetitions
  double cycles = 0;  ///< median in cycles; 0: no clock inside
};

/// (T1 - T2) / (r1 - r2) (equation 3.4), with the median, least and largest time T1 of the long
/// runs and the median T2 of the short ones, of which there are two or more each. sigma is
/// sqrt(s1^2 + s2^2) / (r1 - r2), with the standard deviations s1 and s2 of the two.
repetition_time by_difference(const repeated_runs& runs);

/// Do the two ways differ by more than 5 %, the bound that the dissertation's agree within?
bool methods_disagree(const repetition_time& t);

double median_of(std::vector<double> values);

}  // namespace dwell::app
