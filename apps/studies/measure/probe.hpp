// SPDX-License-Identifier: MIT
// What a probe is, and what it is given. A probe is a file in measure/probes that defines
// NAME_probe(), and a line in probes.cpp.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "studies/measure/barrier_cases.hpp"
#include "studies/measure/statistics.hpp"

#include "dwell/device/device.hpp"

namespace dwell::app {

/// In what a row is given: the time of a repetition, or how much of something it does per second.
enum class measured_unit { seconds, bytes_per_s, operations_per_s };
/// "s", "bytes/s", "1/s".
const char* to_string(measured_unit u);

/// One row of the table.
struct measured_row {
  std::string group, probe;
  int threads = 1;       ///< threads of a CPU, or of a block
  double footprint = 0;  ///< bytes that are gone over, of all threads together; 0: none
  measured_unit unit = measured_unit::seconds;
  double amount =
      1;  ///< bytes or operations of a repetition; of times: over which they are divided
  repetition_time time = {};
  int samples = 0;
  // Fields of GPUs; 0: without meaning here.
  int blocks = 0;      ///< blocks of the grid
  int operations = 0;  ///< independent ones that a thread has under way
  double access = 0;   ///< bytes of one of them
  double work = -1;    ///< seconds that a launched kernel works for; below 0: no launch

  /// The median in the unit; 0 where the time is not positive.
  double value() const { return in_unit(time.median); }
  double least() const { return in_unit(unit == measured_unit::seconds ? time.min : time.max); }
  double most() const { return in_unit(unit == measured_unit::seconds ? time.max : time.min); }
  /// Standard deviation of a rate, to first order.
  double sigma() const;
  double by_clock() const { return in_unit(time.clock); }
  /// Cycles of one operation, or of a repetition where the unit is a rate; 0: there is no clock
  /// inside.
  double cycles() const;

 private:
  double in_unit(double seconds) const;
};

/// How much is measured.
struct measure_request {
  device_facts here;          ///< the device that is measured
  int threads = 1;            ///< most, of a CPU
  double most_footprint = 0;  ///< bytes
  bool full = false;          ///< more samples, of longer runs
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Hands a probe what it needs to make its rows.
class measuring {
 public:
  measuring(const measure_request& request, std::vector<measured_row>& rows,
            std::vector<barrier_behaviour>& barriers)
      : request_(request), rows_(rows), barriers_(barriers) {}

  const measure_request& request() const { return request_; }
  /// 1, 2, 4, ... and the most.
  std::vector<int> thread_counts() const;
  /// 1 and the most.
  std::vector<int> one_and_all_threads() const;
  /// 4 KiB, 8 KiB, ... up to `most` bytes, and the largest that was asked for.
  std::vector<double> footprints(double most) const;

  /// So many repetitions; returns what they took.
  using run_function = std::function<run_time(double repetitions)>;
  /// Measures what one repetition takes, and adds the row. Runs have so many repetitions that they
  /// take some milliseconds. Ends by `stopped` if interrupted; the row is then not added.
  void add(measured_row row, const run_function& run);
  /// Adds a row with long runs of so many repetitions.
  void add(measured_row row, double repetitions, const run_function& run);
  /// Adds what a barrier did; `what` is said meanwhile. Ends by `stopped` as the others do.
  void add(const std::string& what, const std::function<barrier_behaviour()>& run);

  struct stopped {};

 private:
  void stop_if_asked() const;
  double repetitions_for(double seconds, const run_function& run) const;
  repeated_runs sample(double many, const run_function& run) const;
  void say(const measured_row& row) const;
  double long_run() const;
  const measure_request& request_;
  std::vector<measured_row>& rows_;
  std::vector<barrier_behaviour>& barriers_;
};

/// Warps that meet by the barrier of their block, by blocks of a multiprocessor.
inline constexpr const char* block_throughput = "block barrier, throughput";

/// Its kernels may hang: it is measured where it is named, or all is asked for in full.
inline constexpr const char* hanging_group = "divergence";

struct probe {
  std::string group;  ///< name for --only
  std::string name;
  std::string about;  ///< one line for the help
  backend on = backend::cpu;
  void (*run)(measuring& m) = nullptr;  ///< null: this build does not have it
};

/// All probes, be they in this build or not, in the order of the table.
std::span<const probe> all_probes();
/// Those of GPUs among them.
std::span<const probe> cuda_probes();
/// Those of this build.
std::vector<probe> probes();
/// The groups of all, each once, in that order.
std::vector<std::string> probe_groups();

}  // namespace dwell::app
