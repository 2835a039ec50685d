// SPDX-License-Identifier: MIT
// The barrier of OpenMP's threads, in builds that have OpenMP.
#include "studies/measure/probe.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace dwell::app {

#ifdef _OPENMP

namespace {

double time_of_barriers(int threads, double repetitions) {
  double seconds = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    const double begin = omp_get_wtime();
    for (double k = 0; k < repetitions; ++k) {
#pragma omp barrier
    }
#pragma omp master
    seconds = omp_get_wtime() - begin;
  }
  return seconds;
}

void measure_openmp_barrier(measuring& m) {
  const int dynamic = omp_get_dynamic();
  omp_set_dynamic(0);  // exactly the threads that are asked for
  for (const int threads : m.thread_counts())
    m.add({"sync", "openmp barrier", threads},
          [&](double repetitions) { return time_of_barriers(threads, repetitions); });
  omp_set_dynamic(dynamic);
  omp_pause_resource_all(omp_pause_soft);  // else its idle threads go on spinning for a while
}

}  // namespace

#endif

probe openmp_barrier_probe() {
  probe p = {"sync", "openmp barrier", "the barrier of OpenMP, in builds that have it"};
#ifdef _OPENMP
  p.run = measure_openmp_barrier;
#endif
  return p;
}

}  // namespace dwell::app
