// SPDX-License-Identifier: MIT
// heat_steps: a program that steps through time and looks at the field now and then. A plate is
// heated at one end for a while, then left alone until nothing changes any more: the field stays on
// the device, which is set up once.
#include <cstdio>
#include <dwell/dwell.hpp>
#include <exception>

int main() {
  try {
    constexpr int rows = 200, columns = 300;
    dwell::grid<double> plate(dwell::extents(rows, columns)), heating(plate.size());
    for (int y = 1; y < rows - 1; ++y)
      heating(y, 1) = 0.01;  // added to each of these in every step

    dwell::stencil_options options;
    options.shape = "2d5pt";
    options.edge = dwell::boundary::reflect;  // no heat leaves the plate
    options.weights = {0.2, 0.2, 0.2, 0.2, 0.2};
    dwell::stencil_runner<double> runner(dwell::device::best(), plate.size(), options, true);
    runner.set_field(plate);
    runner.set_source(heating);

    const auto mean = [&] {
      double sum = 0;
      for (const double v : plate.cells()) sum += v;
      return sum / static_cast<double>(plate.cells().size());
    };
    // 1000 steps, a look at the field after every 250 of them; false would end the run.
    runner.run(1000, 250, [&](const auto& now) {
      now.field(plate);
      std::printf("step %4d: mean %.6f, at the warm end %.4f\n", now.step(), mean(),
                  plate(rows / 2, 0));
      return plate(rows / 2, 0) < 100;
    });
    const double heated = mean();

    // The heating is switched off, and the heat spreads.
    runner.set_source(dwell::grid<double>(plate.size()));
    const dwell::stencil_outcome end = runner.run_until(1e-4, 100000);
    runner.field(plate);
    const auto& report = runner.report();
    std::printf("%s on %s: %s after %lld steps more, %.3g us each; set up once in %.3g ms\n",
                report.executor.c_str(), report.device.c_str(),
                dwell::to_string(end.stopped).c_str(), static_cast<long long>(end.steps),
                report.per_step_us, 1e3 * report.setup_s);

    const double expected = 1000 * 0.01 * (rows - 2) / (rows * columns);  // all that was added
    const auto near = [](double a, double b) { return a - b < 1e-9 && b - a < 1e-9; };
    return end.stopped == dwell::stencil_stop::converged && near(heated, expected) &&
                   near(mean(), expected)
               ? 0
               : 2;
  } catch (const std::exception& e) {  // no such device, no memory, ...
    std::fprintf(stderr, "heat_steps: %s\n", e.what());
    return 1;
  }
}
