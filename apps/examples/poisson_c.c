/* SPDX-License-Identifier: MIT
 * A potential on a grid from C, without a matrix: -div(k grad u) = f with a wall that hardly conducts,
 * then the same with a better wall, in place. Every call's status is looked at. */
#include <dwell/dwell.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 120, COLUMNS = 160 };
static double k[ROWS * COLUMNS], f[ROWS * COLUMNS], u[ROWS * COLUMNS];

static void check(int status) {
  if (status == DWELL_SUCCESS) return;
  fprintf(stderr, "status %d: %s\n", status, dwell_last_error());
  exit(status);
}

static void make_wall(double conductivity) {
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < COLUMNS; ++column)
      k[row * COLUMNS + column] =
          row >= 20 && row < 100 && column >= 80 && column < 83 ? conductivity : 1.0;
}

int main(void) {
  const int cells[] = {ROWS, COLUMNS};
  dwell_grid grid = {0};
  grid.precision = DWELL_F64;
  grid.dims = 2;
  grid.cells = cells;
  grid.k_cells = k;
  grid.boundary = "neumann";
  f[60 * COLUMNS + 40] = 1, f[60 * COLUMNS + 120] = -1; /* a source and a sink */

  make_wall(1e-4);
  dwell_grid_solver* solver = NULL;
  check(dwell_grid_solver_create(&solver, NULL, &grid, NULL));
  for (int wall = 0; wall < 2; ++wall) {
    if (wall == 1) {
      make_wall(1e-2);
      check(dwell_grid_solver_update(solver, &grid));
    }
    dwell_report* report = NULL;
    check(dwell_grid_solver_solve(solver, f, u, &report));
    long long iterations = 0;
    double residual = 0;
    check(dwell_report_int(report, "iterations", &iterations));
    check(dwell_report_double(report, "residual_relative_true", &residual));
    printf("wall %d: %.3f across it, %lld iterations, residual %.1e\n", wall,
           u[60 * COLUMNS + 79] - u[60 * COLUMNS + 83], iterations, residual);
    dwell_report_destroy(report);
  }
  dwell_grid_solver_destroy(solver);
  return 0;
}
