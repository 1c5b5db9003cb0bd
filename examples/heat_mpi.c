// SPDX-License-Identifier: MIT
// Heat spreads over a plate whose rows are divided among MPI's ranks, each with a device of its own. A step needs the
// neighbours' edge rows (weft_dist_halo_begin, weft_dist_halo_end); the sum at the end has the same bits for every
// number of ranks.
//
//     mpirun -np 4 heat_mpi --side 1000 --steps 1000 --save state
//     mpirun -np 3 heat_mpi --side 1000 --steps 2000 --resume state
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/dist.h>

// New values of rows `first` to `stop` - 1 of the inside: sums of shifted views of the rows with their neighbours.
static weft_status spread(weft_array *inside, const weft_array *rows, int64_t first, int64_t stop) {
  static const int64_t shift[5][2] = {{1, 1}, {0, 1}, {2, 1}, {1, 0}, {1, 2}};  // middle, north, south, west, east
  weft_array *target = NULL, *band = NULL, *wide = NULL, *part[5] = {NULL};
  const int64_t columns = weft_array_length(inside, 1);
  weft_status status;
  if (stop <= first) return WEFT_OK;
  status = weft_slice(&target, inside, 0, first, stop);
  if (status == WEFT_OK) status = weft_slice(&band, rows, 0, first, stop + 2);
  if (status == WEFT_OK) status = weft_pad(&wide, band, WEFT_SHAPE(0, 1), WEFT_SHAPE(0, 1), .mode = WEFT_PAD_WRAP);
  for (int k = 0; k < 5; k++) {
    weft_array *shifted = NULL;
    if (status == WEFT_OK) status = weft_slice(&shifted, wide, 0, shift[k][0], shift[k][0] + stop - first);
    if (status == WEFT_OK) status = weft_slice(&part[k], shifted, 1, shift[k][1], shift[k][1] + columns);
    weft_array_release(&shifted);
  }
  if (status == WEFT_OK)
    status = weft_eval(&target, weft_array_context(inside), "m + 0.2 * ((n + s) + (w + e) - 4 * m)",
                       WEFT_NAMED("m", part[0]), WEFT_NAMED("n", part[1]), WEFT_NAMED("s", part[2]),
                       WEFT_NAMED("w", part[3]), WEFT_NAMED("e", part[4]));
  weft_release(&target, &band, &wide, &part[0], &part[1], &part[2], &part[3], &part[4]);
  return status;
}

// While the neighbours' rows travel, the rows that need none of them are computed.
static weft_status step(weft_dist_array *plate, weft_array **rows) {
  weft_dist_exchange *exchange = NULL;
  weft_array *inside = weft_dist_local(plate);
  const int64_t count = weft_array_length(inside, 0);
  weft_status status = weft_dist_halo_begin(&exchange, rows, plate, .border = WEFT_DIST_WRAP);
  if (status == WEFT_OK) status = spread(inside, *rows, 1, count - 1);
  if (exchange) {
    const weft_status ended = weft_dist_halo_end(&exchange);  // also after a failure
    if (status == WEFT_OK) status = ended;
  }
  if (status == WEFT_OK) status = spread(inside, *rows, 0, count < 1 ? count : 1);
  if (status == WEFT_OK) status = spread(inside, *rows, count > 1 ? count - 1 : count, count);
  return status;
}

// A hot square in the middle: 1 where both indices are between a third and two thirds of the side.
static weft_status heat_up(weft_dist_array **plate, weft_dist *grid, int64_t side) {
  weft_dist_array *row = NULL, *flat = NULL;
  weft_array *columns = NULL;
  weft_dist_info info;
  weft_status status = weft_dist_get(&info, grid);
  if (status == WEFT_OK) status = weft_dist_full(&flat, grid, WEFT_F32, WEFT_SHAPE(side, side), 0, 0);
  if (status == WEFT_OK) status = weft_dist_arange(&row, grid, WEFT_F32, 0, side, 1);
  if (status == WEFT_OK) status = weft_arange(&columns, info.context, WEFT_F32, 0, side, 1);
  // the rows' numbers as a column of the plate
  weft_array *numbers = NULL;
  weft_dist_array *down = NULL;
  if (status == WEFT_OK) status = weft_expand(&numbers, weft_dist_local(row), 1);
  if (status == WEFT_OK) status = weft_dist_from_local(&down, grid, numbers, 0);
  if (status == WEFT_OK)
    status = weft_dist_eval(plate, grid, "f32(f + where((i > l) & (i < h) & (j > l) & (j < h), 1, 0))",
                            WEFT_DIST_NAMED("f", flat), WEFT_DIST_NAMED("i", down), WEFT_DIST_NAMED("j", columns),
                            WEFT_DIST_NAMED("l", (float)side / 3), WEFT_DIST_NAMED("h", (float)side * 2 / 3));
  weft_release(&columns, &numbers);
  weft_dist_array_release(&row);
  weft_dist_array_release(&flat);
  weft_dist_array_release(&down);
  return status;
}

typedef struct options {
  int64_t side, steps;
  const char *save, *resume;  // folders of checkpoints, or NULL
} options;

static weft_status run(weft_dist *grid, const options *o, int rank) {
  weft_dist_array *plate = NULL, *sum = NULL, *hottest = NULL;
  weft_array *rows = NULL;
  int64_t done = 0;
  float total = 0, peak = 0;
  // what a checkpoint has: with any number of ranks the run goes on as if it had not been interrupted
  const weft_dist_item state[] = {{"plate", .array = &plate}, {"done", .integer = &done}};
  weft_status status =
      o->resume ? weft_dist_checkpoint_load(o->resume, grid, state, 2) : heat_up(&plate, grid, o->side);
  while (done < o->steps && status == WEFT_OK) {
    status = step(plate, &rows);
    done++;
    if (status == WEFT_OK && o->save && (done % 100 == 0 || done == o->steps))
      status = weft_dist_checkpoint_save(o->save, grid, state, 2);
  }
  if (status == WEFT_OK) status = weft_dist_sum(&sum, plate, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_dist_max(&hottest, plate, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_to_host(&total, sizeof total, weft_dist_local(sum));
  if (status == WEFT_OK) status = weft_to_host(&peak, sizeof peak, weft_dist_local(hottest));
  if (status == WEFT_OK && rank == 0)
    printf("%lld x %lld after %lld steps: heat %.9g, hottest %.9g\n", (long long)o->side, (long long)o->side,
           (long long)done, total, peak);
  weft_array_release(&rows);
  weft_dist_array_release(&plate);
  weft_dist_array_release(&sum);
  weft_dist_array_release(&hottest);
  return status;
}

static char *option(int argc, char **argv, const char *name, char *standard) {
  for (int k = 1; k + 1 < argc; k++)
    if (strcmp(argv[k], name) == 0) return argv[k + 1];
  return standard;
}

int main(int argc, char **argv) {
  int rank, level;
  weft_dist *grid = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const options o = {atoll(option(argc, argv, "--side", "256")), atoll(option(argc, argv, "--steps", "50")),
                     option(argc, argv, "--save", NULL), option(argc, argv, "--resume", NULL)};
  weft_status status = weft_dist_create(&grid, MPI_COMM_WORLD);
  if (status == WEFT_OK) status = run(grid, &o, rank);
  if (status) fprintf(stderr, "rank %d: %s\n", rank, weft_error_last()->message);
  weft_dist_release(&grid);
  MPI_Finalize();
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
