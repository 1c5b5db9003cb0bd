// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L  // clock_gettime

#include "example.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

int example_failed(void) {
  if (weft_error_last()->status != WEFT_OK) weft_error_print(stderr);
  return EXIT_FAILURE;
}

int example_close(weft_context **context, int status) {
  if (status != EXIT_SUCCESS) example_failed();  // before closing, which may fail too: the first failure counts
  if (weft_context_close(context) != WEFT_OK && status == EXIT_SUCCESS) return example_failed();
  return status;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool parse_digits(uint64_t *value, const char **text) {
  uint64_t n = 0;
  if (!isdigit((unsigned char)**text)) return false;
  for (; isdigit((unsigned char)**text); (*text)++) {
    uint64_t digit = (uint64_t)(**text - '0');
    if (n > (UINT64_MAX - digit) / 10) return false;
    n = n * 10 + digit;
  }
  *value = n;
  return true;
}

// "1024" or "2^10"
static bool parse_number(uint64_t *value, const char *text) {
  uint64_t base, exponent, n = 1;
  if (!parse_digits(&base, &text)) return false;
  if (*text == '\0') {
    *value = base;
    return true;
  }
  if (*text++ != '^' || !parse_digits(&exponent, &text) || *text != '\0') return false;
  if (base < 2) exponent = exponent > 0;  // the powers of 0 and 1 are 0 and 1
  for (; exponent > 0; exponent--) {
    if (n > UINT64_MAX / base) return false;
    n *= base;
  }
  *value = n;
  return true;
}

static void print_help(const char *program, const char *purpose, const example_option *options, size_t option_count) {
  printf("Usage: %s [OPTION VALUE]...\n%s\n\n", program, purpose);
  for (size_t i = 0; i < option_count; i++) {
    const example_option *o = &options[i];
    if (o->most == 0)
      printf("  %s %-*s %s\n", o->name, 17 - (int)strlen(o->name), "FILE", o->help);
    else
      printf("  %-18s %s (default %llu)\n", o->name, o->help, (unsigned long long)*(uint64_t *)o->value);
  }
  printf("  %-18s %s\n\n", "--help", "this text");
  printf("The device is the one that WEFT_DEVICE names (a number, cpu, gpu, or part of a name), else the best.\n");
}

int example_arguments(int argc, char **argv, const char *purpose, const example_option *options, size_t option_count) {
  const char *program = base_name(argv[0]);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      print_help(program, purpose, options, option_count);
      return EXIT_SUCCESS;
    }
    const example_option *option = NULL;
    for (size_t k = 0; k < option_count; k++) {
      if (strcmp(argv[i], options[k].name) == 0) option = &options[k];
    }
    if (option == NULL) {
      fprintf(stderr, "%s: no option %s; see %s --help\n", program, argv[i], program);
      return 2;
    }
    if (option->most == 0) {
      if (++i == argc) {
        fprintf(stderr, "%s: %s takes the name of a file\n", program, option->name);
        return 2;
      }
      *(const char **)option->value = argv[i];
      continue;
    }
    uint64_t value = 0;
    if (++i == argc || !parse_number(&value, argv[i]) || value < option->least || value > option->most) {
      fprintf(stderr, "%s: %s takes a number from %llu to %llu\n", program, option->name,
              (unsigned long long)option->least, (unsigned long long)option->most);
      return 2;
    }
    *(uint64_t *)option->value = value;
  }
  return -1;
}

weft_status example_select_device(bool *selected, uint64_t number) {
  const char *wish = getenv("WEFT_DEVICE");
  weft_device_info asked, best;
  int count, best_index = 0, index = (int)number;
  weft_status status;

  if (selected != NULL) *selected = false;
  if (wish != NULL && wish[0] != '\0') {
    printf("select_device(%d): WEFT_DEVICE goes first, and asks for \"%s\"\n", index, wish);
    return WEFT_OK;
  }
  status = weft_device_count(&count);
  if (status == WEFT_OK) status = weft_device_find(&best_index, NULL);
  if (status != WEFT_OK) return status;
  if (index >= count) {
    printf("select_device(%d): with %d device%s here, device %d is used\n", index, count, count == 1 ? "" : "s",
           best_index);
    return WEFT_OK;
  }
  status = weft_device_get(&asked, index);
  if (status == WEFT_OK) status = weft_device_get(&best, best_index);
  if (status != WEFT_OK) return status;
  if (asked.type != best.type) {
    printf("select_device(%d): as that is a %s (%s), device %d is used, a %s (%s)\n", index,
           weft_device_type_name(asked.type), asked.name, best_index, weft_device_type_name(best.type), best.name);
    return WEFT_OK;
  }
  status = weft_device_use(index);
  if (status != WEFT_OK) return status;
  printf("select_device(%d): done, %s\n", index, asked.name);
  if (selected != NULL) *selected = true;
  return WEFT_OK;
}

double example_clock_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *example_repr(char text[EXAMPLE_REPR_SIZE], double value) {
  int digits = 1, exponent;
  do {
    snprintf(text, EXAMPLE_REPR_SIZE, "%.*e", digits - 1, value);
  } while (strtod(text, NULL) != value && ++digits <= 17);
  const char *e = strchr(text, 'e');
  if (e == NULL) return text;  // inf, nan
  exponent = (int)strtol(e + 1, NULL, 10);
  if (exponent < -4 || exponent >= 16) return text;
  int decimals = digits - 1 - exponent;
  snprintf(text, EXAMPLE_REPR_SIZE, "%.*f", decimals > 1 ? decimals : 1, value);
  return text;
}
