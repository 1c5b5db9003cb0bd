// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* dladdr */
#include "engine/engine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/object.h"
#include "base/secure.h"

static const char *const engine_name[WEFT__ENGINE_COUNT] = {
    [WEFT__ENGINE_OWN] = "own",           [WEFT__ENGINE_CBLAS] = "cblas", [WEFT__ENGINE_LAPACK] = "lapack",
    [WEFT__ENGINE_FFTW] = "fftw",         [WEFT__ENGINE_VKFFT] = "vkfft", [WEFT__ENGINE_CUBLAS] = "cublas",
    [WEFT__ENGINE_CUSOLVER] = "cusolver", [WEFT__ENGINE_CUFFT] = "cufft", [WEFT__ENGINE_CUSPARSE] = "cusparse",
};

enum { MOST_FILES = 6, MOST_PROBES = 3 };

/// What a loaded library says of itself. `number` is 10000 * major + 100 * minor + patch; 0: unknown.
typedef struct version {
  char text[64];
  int number;
} version;

/// A row of the table. A file is used if it has all `probe` symbols and `read_version` accepts it.
typedef struct row {
  weft__engine engine;
  const char *purpose, *package;
  const char *file[MOST_FILES]; /* the names to try, the best first */
  const char *probe[MOST_PROBES];
  bool (*read_version)(version *v, void *library); /* false: not one of the libraries that are worth using */
  const char *kind;                                /* what the others are called: "a reference BLAS" */
  int least;                                       /* the least version; 0: any */
  int below;                                       /* later versions; 0: none */
} row;

/* ---- versions ---- */

/// Reads the first "1.2.3" of a text.
static int number_of(const char *text) {
  int major = 0, minor = 0, patch = 0;
  text += strcspn(text, "0123456789");
  if (sscanf(text, "%d.%d.%d", &major, &minor, &patch) < 2) return 0;
  return major * 10000 + minor * 100 + patch;
}

/// Keeps the first `words` words of what a library says.
static void set(version *v, const char *prefix, const char *text, int words) {
  size_t length = 0;
  for (; words > 0 && text[length]; words--) {
    length += strspn(text + length, " ");
    length += strcspn(text + length, " ");
  }
  snprintf(v->text, sizeof v->text, "%s%.*s", prefix, (int)length, text);
  v->number = number_of(text);
}

/// dlsym returns an object pointer, which POSIX allows to be read as a function pointer.
#define SYMBOL(library, function, name) (*(void **)(&(function)) = dlsym(library, name))

static bool read_openblas(version *v, void *library) {
  char *(*config)(void);
  if (!SYMBOL(library, config, "openblas_get_config")) return false;
  const char *text = config();
  if (text) set(v, "", text, 2);
  return true;
}

/// A library that is none of these is the reference BLAS, which Weft's own kernels outrun.
static bool read_blas(version *v, void *library) {
  const char *(*blis)(void);
  int (*mkl)(char *, int);
  if (read_openblas(v, library)) return true;
  if (SYMBOL(library, blis, "bli_info_get_version_str")) {
    set(v, "BLIS ", blis(), 1);
    return true;
  }
  if (SYMBOL(library, mkl, "mkl_get_version_string")) {
    char text[200] = "";
    mkl(text, (int)sizeof text - 1);
    const char *number = strstr(text, "Version ");
    set(v, "MKL ", number ? number + strlen("Version ") : text, 1);
    return true;
  }
  return false;
}

static bool read_lapack(version *v, void *library) {
  void (*lapack)(int *, int *, int *);
  int major = 0, minor = 0, patch = 0;
  if (SYMBOL(library, lapack, "ilaver_")) {
    lapack(&major, &minor, &patch);
    snprintf(v->text, sizeof v->text, "LAPACK %d.%d.%d", major, minor, patch);
    v->number = major * 10000 + minor * 100 + patch;
  }
  return true;
}

/// Its version is a variable.
static bool read_fftw(version *v, void *library) {
  const char *text = dlsym(library, "fftw_version");
  if (!text) text = dlsym(library, "fftwf_version");
  /* "fftw-3.3.10-sse2-avx": without the instruction sets */
  const char *number = text ? text + strcspn(text, "0123456789") : "";
  snprintf(v->text, sizeof v->text, "FFTW %.*s", (int)strspn(number, "0123456789."), number);
  v->number = number_of(number);
  return true;
}

/// NVIDIA's libraries have a function of this kind, by its name: 0, 1 and 2 ask for the three numbers.
static bool read_property(version *v, void *library, const char *name, const char *function) {
  int (*get)(int which, int *value);
  int number[3] = {0};
  if (!SYMBOL(library, get, function)) return true;
  for (int which = 0; which < 3; which++)
    if (get(which, &number[which])) return true;
  snprintf(v->text, sizeof v->text, "%s %d.%d.%d", name, number[0], number[1], number[2]);
  v->number = number[0] * 10000 + number[1] * 100 + number[2];
  return true;
}

static bool read_cublas(version *v, void *library) {
  return read_property(v, library, "cuBLAS", "cublasGetProperty");
}

static bool read_cusolver(version *v, void *library) {
  return read_property(v, library, "cuSOLVER", "cusolverGetProperty");
}

static bool read_cufft(version *v, void *library) {
  return read_property(v, library, "cuFFT", "cufftGetProperty");
}

static bool read_cusparse(version *v, void *library) {
  return read_property(v, library, "cuSPARSE", "cusparseGetProperty");
}

/* ---- the table ---- */

#define CUDA_PACKAGE "NVIDIA's CUDA toolkit"

static const row table[WEFT__LIBRARY_COUNT] = {
    /* OpenBLAS before 0.3.7: several threads that call it at once may get wrong results (its issues 1761 and 2126) */
    [WEFT__LIBRARY_CBLAS] = {.engine = WEFT__ENGINE_CBLAS,
                             .purpose = "matrix products on CPU devices",
                             .package = "libopenblas0",
                             .file = {"libopenblas.so.0", "libblis.so.4", "libcblas.so.3", "libblas.so.3",
                                      "libmkl_rt.so.2", "libmkl_rt.so"},
                             .probe = {"cblas_sgemm", "cblas_zgemm", "cblas_sgemv"},
                             .read_version = read_blas,
                             .kind = "a reference BLAS, slower than Weft's own kernels",
                             .least = 307},
    [WEFT__LIBRARY_LAPACK] = {.engine = WEFT__ENGINE_LAPACK,
                              .purpose = "solvers, eigenvalues, singular values",
                              .package = "libopenblas0",
                              .file = {"libopenblas.so.0", "liblapack.so.3", "libmkl_rt.so.2", "libmkl_rt.so"},
                              .probe = {"dpotrf_", "zgesdd_"},
                              .read_version = read_lapack,
                              .least = 30400},
    [WEFT__LIBRARY_FFTW_F64] = {.engine = WEFT__ENGINE_FFTW,
                                .purpose = "Fourier transforms of f64 on CPU devices",
                                .package = "libfftw3-double3",
                                .file = {"libfftw3_threads.so.3", "libfftw3.so.3"},
                                .probe = {"fftw_plan_guru64_dft", "fftw_version"},
                                .read_version = read_fftw,
                                .least = 30300},
    [WEFT__LIBRARY_FFTW_F32] = {.engine = WEFT__ENGINE_FFTW,
                                .purpose = "Fourier transforms of f32 on CPU devices",
                                .package = "libfftw3-single3",
                                .file = {"libfftw3f_threads.so.3", "libfftw3f.so.3"},
                                .probe = {"fftwf_plan_guru64_dft", "fftwf_version"},
                                .read_version = read_fftw,
                                .least = 30300},
    /* 1.3 runs kernels while it plans (of primes from 17 on: Rader's algorithm) and reads their results back, which the
       stand-ins of op/fft/vkfft_plan.c cannot do. The read fails, and 1.3.4 then frees the block twice: planning length
       17 under AddressSanitizer shows it. */
    [WEFT__LIBRARY_VKFFT] = {.engine = WEFT__ENGINE_VKFFT,
                             .purpose = "Fourier transforms on GPUs",
                             .package = "libvkfft-dev",
                             .file = {"VkFFT"},
                             .below = 10300},
    [WEFT__LIBRARY_CUBLAS] = {.engine = WEFT__ENGINE_CUBLAS,
                              .purpose = "matrix products, triangular solves in contexts with .cuda",
                              .package = CUDA_PACKAGE,
                              .file = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"},
                              .probe = {"cublasGemmStridedBatchedEx"},
                              .read_version = read_cublas},
    /* 11.1 is the first one with functions for 64-bit sizes */
    [WEFT__LIBRARY_CUSOLVER] = {.engine = WEFT__ENGINE_CUSOLVER,
                                .purpose = "solvers, eigenvalues, singular values in contexts with .cuda",
                                .package = CUDA_PACKAGE,
                                .file = {"libcusolver.so.12", "libcusolver.so.11"},
                                .probe = {"cusolverDnXpotrf", "cusolverDnXgesvdp"},
                                .read_version = read_cusolver,
                                .least = 110100},
    [WEFT__LIBRARY_CUFFT] = {.engine = WEFT__ENGINE_CUFFT,
                             .purpose = "Fourier transforms in contexts with .cuda",
                             .package = CUDA_PACKAGE,
                             .file = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10"},
                             .probe = {"cufftMakePlanMany64"},
                             .read_version = read_cufft},
    [WEFT__LIBRARY_CUSPARSE] = {.engine = WEFT__ENGINE_CUSPARSE,
                                .purpose = "products of sparse matrices by a vector in contexts with .cuda",
                                .package = CUDA_PACKAGE,
                                .file = {"libcusparse.so.12", "libcusparse.so.11"},
                                .probe = {"cusparseSpMV", "cusparseCreateCsr"},
                                .read_version = read_cusparse},
};

/* ---- loading ---- */

typedef struct loaded {
  bool was_tried, is_found;
  void *handle; /* never closed: other threads may be inside; NULL: none was found, or it is part of the build */
  const char *file;
  char path[256];
  version version;
  char problem[400];
} loaded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the loading */
static loaded library_state[WEFT__LIBRARY_COUNT];

static void add_problem(loaded *l, const char *format, ...) WEFT_PRINTF(2, 3);
static void add_problem(loaded *l, const char *format, ...) {
  size_t length = strlen(l->problem);
  va_list arguments;
  va_start(arguments, format);
  if (length < sizeof l->problem) vsnprintf(l->problem + length, sizeof l->problem - length, format, arguments);
  va_end(arguments);
}

static const char *number_text(char text[16], int number) {
  snprintf(text, 16, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  return text;
}

/// Whether the row takes a library of this version. Unknown ones are taken.
static bool accepts(loaded *l, const row *r, const char *file, const version *v) {
  char limit[16];
  const char *separator = l->problem[0] ? "; " : "";
  /* MKL's and BLIS's numbers are larger: the limit is of the row's usual library */
  const bool is_old = v->number && v->number < r->least, is_late = r->below && v->number >= r->below;
  if (is_old) add_problem(l, "%s%s is %s; %s is needed", separator, file, v->text, number_text(limit, r->least));
  if (is_late)
    add_problem(l, "%s%s is %s; one before %s is needed", separator, file, v->text, number_text(limit, r->below));
  return !is_old && !is_late;
}

/// Tries one file; on success it is *l's. A file that is refused stays loaded: it may have begun threads, which an
/// unloading would pull the code from under.
static bool try_file(loaded *l, const row *r, const char *file) {
  const char *separator = l->problem[0] ? "; " : "";
  void *handle = weft__library_open(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  void *probe = NULL;
  for (int k = 0; k < MOST_PROBES && r->probe[k]; k++) {
    void *found = dlsym(handle, r->probe[k]);
    if (!found) {
      add_problem(l, "%s%s has no %s", separator, file, r->probe[k]);
      return false;
    }
    if (!probe) probe = found;
  }
  version v = {0};
  if (!r->read_version(&v, handle)) {
    add_problem(l, "%s%s is %s", separator, file, r->kind);
    return false;
  }
  if (!accepts(l, r, file, &v)) return false;
  Dl_info info;
  *l = (loaded){.was_tried = true, .is_found = true, .handle = handle, .file = file, .version = v};
  snprintf(l->path, sizeof l->path, "%s", dladdr(probe, &info) && info.dli_fname ? info.dli_fname : file);
  return true;
}

/// VkFFT is headers: nothing is loaded.
static void look_into_build(loaded *l, const row *r) {
  char number[16];
  version v = {.number = weft__vkfft_version()};
  l->file = r->file[0];
  if (!v.number) {
    add_problem(l, "Weft was built without VkFFT");
    return;
  }
  snprintf(v.text, sizeof v.text, "VkFFT %s", number_text(number, v.number));
  l->is_found = accepts(l, r, "the one that Weft was built with", &v);
  if (l->is_found) l->version = v;
}

/// Loads a library at the first call. The caller holds the lock.
static const loaded *load(weft__library library) {
  const row *r = &table[library];
  loaded *l = &library_state[library];
  if (l->was_tried) return l;
  l->was_tried = true;
  if (library == WEFT__LIBRARY_VKFFT) {
    look_into_build(l, r);
    return l;
  }
  for (int k = 0; k < MOST_FILES && r->file[k]; k++)
    if (try_file(l, r, r->file[k])) return l;
  if (l->problem[0]) return l;
  add_problem(l, "found no %s", r->file[0]);
  for (int k = 1; k < MOST_FILES && r->file[k]; k++)
    add_problem(l, "%s%s", k + 1 < MOST_FILES && r->file[k + 1] ? ", " : " or ", r->file[k]);
  return l;
}

static const loaded *look(weft__library library) {
  pthread_mutex_lock(&lock);
  const loaded *l = load(library);
  pthread_mutex_unlock(&lock);
  return l;
}

/* ---- WEFT_ENGINE ---- */

/// The length of the next name of a list, whose separators are skipped: commas and blanks. 0: the list is over.
static size_t next_name(const char **list) {
  *list += strspn(*list, ", ");
  return strcspn(*list, ", ");
}

static bool is_name(const char *name, const char *word, size_t length) {
  return strlen(name) == length && strncmp(name, word, length) == 0;
}

bool weft__engine_allowed(weft__engine engine) {
  const char *list = weft__environment_text(WEFT__ENV_ENGINE);
  if (!list) return true;
  for (size_t length; (length = next_name(&list)); list += length)
    if (is_name(engine_name[engine], list, length)) return true;
  return false;
}

weft_status weft__engine_check(void) {
  const char *text = weft__environment_text(WEFT__ENV_ENGINE), *list = text;
  for (size_t length; list && (length = next_name(&list)); list += length) {
    bool known = false;
    for (int e = 0; e < WEFT__ENGINE_COUNT; e++) known |= is_name(engine_name[e], list, length);
    if (!known)
      return weft__fail(WEFT_ERROR_ARGUMENT, "WEFT_ENGINE",
                        "WEFT_ENGINE is `%s`, and `%.*s` is no engine; expected a list of own, cblas, lapack, fftw, "
                        "vkfft, cublas, cusolver, cufft, cusparse",
                        text, (int)length, list);
  }
  return WEFT_OK;
}

/* ---- functions ---- */

enum { UNKNOWN, COMPLETE, MISSING };

/// Stores the addresses of a binding's functions. False if one is missing.
static bool resolve(weft__engine_binding *b, void *handle) {
  for (int k = 0; k < b->symbols; k++) {
    void *address = dlsym(handle, b->symbol[k].name);
    memcpy((char *)b->functions + b->symbol[k].offset, &address, sizeof address);
    if (!address && !b->symbol[k].may_be_missing) {
      weft__log(WEFT_LOG_WARNING, "%s has no %s: %s is not used", library_state[b->library].file, b->symbol[k].name,
                engine_name[table[b->library].engine]);
      return false;
    }
  }
  return true;
}

bool weft__engine_find(weft__engine_binding *b) {
  if (!weft__engine_allowed(table[b->library].engine)) return false;
  int state = atomic_load_explicit(&b->state, memory_order_acquire);
  if (state != UNKNOWN) return state == COMPLETE;
  pthread_mutex_lock(&lock);
  state = atomic_load(&b->state);
  if (state == UNKNOWN) {
    const loaded *l = load(b->library);
    state = l->handle && resolve(b, l->handle) ? COMPLETE : MISSING;
    atomic_store_explicit(&b->state, state, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return state == COMPLETE;
}

const char *weft__engine_name(weft__library library) {
  return engine_name[library == WEFT__LIBRARY_NONE ? WEFT__ENGINE_OWN : table[library].engine];
}

bool weft__engine_is_found(weft__library library) {
  return look(library)->is_found;
}

const char *weft__engine_library(weft__library library) {
  if (library == WEFT__LIBRARY_NONE) return "the host";
  const loaded *l = look(library);
  return l->is_found ? l->file : "";
}

void weft__engine_failed(weft__library library, const char *what, int code) {
  weft__log(WEFT_LOG_WARNING, "%s failed in %s (%d) and its result is not used", weft__engine_library(library), what,
            code);
}

/* ---- the public functions ---- */

weft_status weft_engine_count(int *count) {
  weft__enter("weft_engine_count", NULL);
  WEFT__NEED(count);
  *count = WEFT__LIBRARY_COUNT;
  return weft__leave(WEFT_OK);
}

weft_status weft_engine_get(weft_engine_info *info, int index) {
  weft_status rc;
  weft__enter("weft_engine_get", NULL);
  WEFT__NEED(info);
  if (index < 0 || index >= WEFT__LIBRARY_COUNT)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_ARGUMENT, "index", "`index` is %d; expected 0 to %d", index, WEFT__LIBRARY_COUNT - 1));
  WEFT__TRY(weft__engine_check());
  const row *r = &table[index];
  const loaded *l = look((weft__library)index);
  *info = (weft_engine_info){.name = engine_name[r->engine],
                             .purpose = r->purpose,
                             .is_found = l->is_found,
                             .is_allowed = weft__engine_allowed(r->engine),
                             .library = l->is_found ? l->file : "",
                             .path = l->path,
                             .version = l->version.text,
                             .problem = l->problem,
                             .package = r->package};
done:
  return weft__leave(rc);
}
