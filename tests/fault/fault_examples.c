// SPDX-License-Identifier: MIT
// Fails every driver call of the examples one by one, and from each call on. The build compiles the examples with main
// renamed. k_means is left out: building its many kernels would take longer than all the others.
#include "fault_run.h"
#include "fault_survivors.h"

int vector_add_main(int argc, char **argv);
int thread_index_main(int argc, char **argv);
int launch_limits_main(int argc, char **argv);
int gpu_add_main(int argc, char **argv);
int add_ufunc_main(int argc, char **argv);
int array_exp_main(int argc, char **argv);
int broadcast_main(int argc, char **argv);
int keep_on_device_main(int argc, char **argv);
int intensity_main(int argc, char **argv);
int many_steps_main(int argc, char **argv);
int long_job_main(int argc, char **argv);
int monte_carlo_pi_main(int argc, char **argv);
int histogram_main(int argc, char **argv);
int sort_by_key_main(int argc, char **argv);
int histogram_by_key_main(int argc, char **argv);
int rolling_mean_main(int argc, char **argv);
int least_squares_main(int argc, char **argv);
int scopes_main(int argc, char **argv);
int several_devices_main(int argc, char **argv);
int mandelbrot_main(int argc, char **argv);
int heat_main(int argc, char **argv);
int life_main(int argc, char **argv);
int image_filters_main(int argc, char **argv);
int texture_main(int argc, char **argv);
int n_body_main(int argc, char **argv);

// Those that draw write the picture too, if they can; n_body's would need many more kernels.
#ifdef HAVE_PNG
#define PICTURE "--png", "fault_picture.png"
#else
#define PICTURE NULL
#endif

static const fault_program programs[] = {
    {.name = "vector_add", .run = vector_add_main, .arguments = {"-n", "100", NULL}},
    {.name = "thread_index", .run = thread_index_main},
    {.name = "launch_limits",
     .run = launch_limits_main,
     .arguments = {"--exponent", "4", "--block-exponent", "2", NULL}},
    {.name = "gpu_add", .run = gpu_add_main, .arguments = {"--exponent", "5", "--iterations", "3", NULL}},
    {.name = "add_ufunc", .run = add_ufunc_main, .arguments = {"-n", "100", "--runs", "1", "--loops", "1", NULL}},
    {.name = "array_exp", .run = array_exp_main, .arguments = {"--calls", "1", "--timed", "100", NULL}},
    {.name = "broadcast", .run = broadcast_main},
    {.name = "keep_on_device",
     .run = keep_on_device_main,
     .arguments = {"-n", "100", "--runs", "1", "--loops", "1", NULL}},
    {.name = "intensity", .run = intensity_main, .arguments = {"--exponent", "8", "--steps", "1", "--work", "1", NULL}},
    {.name = "many_steps", .run = many_steps_main, .arguments = {"--bodies", "70", "--steps", "2", NULL}},
    {.name = "long_job", .run = long_job_main, .arguments = {"--side", "16", "--steps", "3", "--leg", "1", NULL}},
    {.name = "monte_carlo_pi", .run = monte_carlo_pi_main, .arguments = {"-n", "1000", NULL}},
    {.name = "histogram", .run = histogram_main, .arguments = {"-n", "100", "--bins", "4", NULL}},
    {.name = "sort_by_key", .run = sort_by_key_main, .arguments = {"-n", "100", "--stations", "3", NULL}},
    {.name = "histogram_by_key", .run = histogram_by_key_main, .arguments = {"-n", "100", "--shops", "3", NULL}},
    {.name = "rolling_mean", .run = rolling_mean_main, .arguments = {"-n", "50", "--window", "7", NULL}},
    {.name = "least_squares", .run = least_squares_main, .arguments = {"-n", "20", "--degree", "1", NULL}},
    {.name = "several_devices", .run = several_devices_main, .arguments = {"-n", "64", NULL}},
    {.name = "scopes", .run = scopes_main, .arguments = {"-n", "10", "--rounds", "1", NULL}},
    {.name = "mandelbrot",
     .run = mandelbrot_main,
     .arguments = {"--width", "16", "--height", "16", "--place", "3", PICTURE}},
    {.name = "heat", .run = heat_main, .arguments = {"--width", "29", "--height", "11", "--steps", "2", PICTURE}},
    {.name = "life", .run = life_main, .arguments = {"--width", "48", "--height", "32", "--generations", "2", PICTURE}},
    {.name = "image_filters", .run = image_filters_main, .arguments = {"--width", "8", "--height", "8", PICTURE}},
    {.name = "texture", .run = texture_main, .arguments = {"--width", "4", "--height", "4", NULL}},
    {.name = "n_body", .run = n_body_main, .arguments = {"--stars", "10", "--steps", "2", NULL}},
    {.name = NULL},
};
static const fault_survivor survivors[] = {FAULT_SURVIVORS, {.function = NULL}};

int main(int argc, char **argv) {
  static const fault_suite suite = {.name = "fault_examples", .programs = programs, .survivors = survivors};
  return fault_main(&suite, argc, argv);
}
