// SPDX-License-Identifier: MIT
// wave: sound in a room with two materials, 2 u(t) - u(t - 1) + c^2 dt^2 / h^2 laplacian(u). The
// step is a struct: two fields that change places after every step, and a speed for each cell. A
// source rings in one corner for a while, and a microphone behind the border of the materials hears
// it later.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <dwell/dwell.hpp>
#include <exception>
#include <vector>

struct wave {
  static constexpr const char* name = "wave";
  static constexpr int dims = 2;
  static constexpr const char* fields[] = {"u", "before"};
  static constexpr const char* coefficients[] = {"c2"};
  enum { u, before, c2 };

  template <class Cell>
  static void step(Cell& cell) {
    const auto here = cell(u, 0, 0);
    const auto around = cell(u, -1, 0) + cell(u, 1, 0) + cell(u, 0, -1) + cell(u, 0, 1);
    cell.set(u, 2 * here - cell(before, 0, 0) + cell(c2, 0, 0) * (around - 4 * here));
    cell.set(before, here);
  }
};

int main() {
  try {
    constexpr std::int64_t rows = 300, columns = 400;
    constexpr int steps = 700;
    dwell::field_options options;  // the outermost cells stay zero: hard walls
    auto room = dwell::runner_of<wave, double>(dwell::device::cpu(), {rows, columns}, options);

    // Courant number 0.5 on the left, 0.25 on the right.
    std::vector<double> c2(rows * columns);
    for (std::int64_t i = 0; i < rows * columns; ++i)
      c2[static_cast<std::size_t>(i)] = i % columns < columns / 2 ? 0.25 : 0.0625;
    room.set_coefficient(0, c2);

    // Ricker's wavelet, at (150, 60).
    std::vector<double> series(steps);
    for (int k = 0; k < steps; ++k) {
      const double t = 0.15 * (k - 40);
      series[static_cast<std::size_t>(k)] = (1 - 2 * t * t) * std::exp(-t * t);
    }
    room.set_sources(wave::u, std::vector<std::int64_t>{150, 60}, series);
    const int ear = room.set_receivers(wave::u, std::vector<std::int64_t>{150, 100, 150, 280});
    room.run(steps);

    // When does each of the two cells hear something for the first time?
    const auto record = room.record(ear);
    int heard[2] = {-1, -1};
    for (int k = steps - 1; k >= 0; --k)
      for (int cell = 0; cell < 2; ++cell)
        if (std::fabs(record[static_cast<std::size_t>(2 * k + cell)]) > 1e-3) heard[cell] = k;
    const dwell::field_report report = room.report();
    std::printf("%s: %s, %d thread%s, %.3g million cells per second\n", report.definition.c_str(),
                report.executor.c_str(), report.threads, report.threads == 1 ? "" : "s",
                report.cells_per_second / 1e6);
    std::printf("heard after %d steps at 40 cells, and after %d at 220\n", heard[0], heard[1]);

    // 40 cells at half a cell per step; then 100 more, and 80 at a quarter.
    const auto near = [&](int step, double expected) { return std::fabs(step - expected) < 40; };
    return report.finite && near(heard[0], 40 / 0.5) && near(heard[1], 140 / 0.5 + 80 / 0.25) ? 0
                                                                                              : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "wave: %s\n", e.what());
    return 1;
  }
}
