// SPDX-License-Identifier: MIT
#include "kernel/cached.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/version.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/secure.h"
#include "disk/folder.h"
#include "disk/packed.h"
#include "kernel/binary.h"

#define SMALL_GRID 65535 /* PoCL makes other code for more threads along an axis */
#define MOST_LAUNCHED 64 /* different launches of a program that are noted */

struct weft__launched {
  pthread_mutex_t lock;
  int count;
  bool is_new;               /* one was noted that the cache's file lacks */
  char *text[MOST_LAUNCHED]; /* "KERNEL 64-1-1-goffs0-smallgrid" */
};

/* ---- what may be kept ---- */

/// The place behind blanks, line ends with a backslash, and comments.
static const char *skip_blanks(const char *at) {
  for (;;) {
    if (*at == ' ' || *at == '\t' || *at == '\r') {
      at++;
    } else if (at[0] == '\\' && at[1] == '\n') {
      at += 2;
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      if (!end) return at;
      at = end + 2;
    } else {
      return at;
    }
  }
}

/// Whether a directive may begin at `at`: only blanks or a comment's end are in front of it.
static bool begins_line(const char *text, const char *at) {
  while (at > text && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\r')) at--;
  return at == text || at[-1] == '\n' || (at[-1] == '/' && at - text > 1 && at[-2] == '*');
}

/// Whether the compiler may read files for the text, which the key would not know.
static bool reads_files(const char *text) {
  static const char *const marks[] = {"#", "%:", "?\?="}, *const words[] = {"include", "import", "embed"};
  if (strstr(text, "__has_include") || strstr(text, "__has_embed")) return true;
  for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
    for (const char *at = text; (at = strstr(at, marks[m]));) {
      const bool is_directive = begins_line(text, at);
      at += strlen(marks[m]);
      if (!is_directive) continue;
      const char *word = skip_blanks(at);
      for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strncmp(word, words[w], strlen(words[w])) == 0) return true;
      if (word[0] && word[1] == '\\' && word[2] == '\n') return true; /* a directive's name over two lines */
    }
  return false;
}

/* ---- the key ---- */

/// Its instructions, of which a CPU device's code is made: machines may share a home folder.
static uint64_t processor;

static void read_processor(void) {
  static const char *const lines[] = {"flags", "Features", "isa", "model name", "cpu model", "cpu"};
  char block[6144];
  struct stat about;
  size_t count = 0;
  int file;
  if (weft__file_open(&file, &about, AT_FDCWD, "/proc/cpuinfo", 0) != 0) return;
  (void)weft__file_read(file, block, sizeof block - 1, &count);
  close(file);
  block[count] = 0;
  char *second = strstr(block, "\n\n"); /* one processor is enough */
  if (second) *second = 0;
  for (const char *line = block; *line; line += strcspn(line, "\n"), line += *line == '\n')
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
      const size_t length = strlen(lines[k]);
      if (strncmp(line, lines[k], length) == 0 && (line[length] == '\t' || line[length] == ' '))
        processor = weft__hash(line, strcspn(line, "\n"), processor + 1);
    }
}

/// PoCL's variables that may change its code: all but those known not to. In any order.
static uint64_t variables_hash(void) {
  static const char *const harmless[] = {
      "CACHE_DIR=", "KERNEL_CACHE=", "DEBUG",   "DEVICES=", "MAX_PTHREAD_COUNT", "AFFINITY=",
      "SIGFPE_",    "SIGUSR2_",      "TRACING", "LEAVE_",   "BINARY_SPECIALIZE", "PATH_"};
  uint64_t sum = 0;
  for (char *const *variable = weft__getenv_all(); *variable; variable++) {
    bool counts = strncmp(*variable, "POCL_", 5) == 0;
    for (size_t k = 0; counts && k < sizeof harmless / sizeof *harmless; k++)
      counts = strncmp(*variable + 5, harmless[k], strlen(harmless[k])) != 0;
    if (counts) sum += weft__hash(*variable, strlen(*variable), 1);
  }
  return sum;
}

/// CPUs and other devices have other kernels.
static const char *kind_of(const weft__core *core) {
  return core->device->info.type == WEFT_DEVICE_TYPE_CPU ? "cpu" : "other";
}

/// False: no memory, or the driver does not say what it is.
static bool make_key(weft__text *key, const weft__core *core, const weft__program *program) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const weft__device *device = core->device;
  const weft_device_info *info = &device->info;
  char *version;
  const weft__text_of of = {.kind = WEFT__TEXT_PLATFORM_VERSION, .platform = device->platform};
  if (weft__driver_text(&version, &of)) return false;
  const bool is_cpu = info->type == WEFT_DEVICE_TYPE_CPU;
  weft__text_add(key, "weft %s\nkind %s\nplatform %s\nplatform-version %s\ndevice %s\ndevice-version %s\ndriver %s\n",
                 WEFT_VERSION_STRING, kind_of(core), info->platform, version, info->name, info->opencl_version,
                 info->driver_version);
  if (is_cpu) {
    pthread_once(&once, read_processor);
    weft__text_add(key, "processor %016" PRIx64 "\n", processor);
  }
  if (device->quirks.builds_at_launch) weft__text_add(key, "variables %016" PRIx64 "\n", variables_hash());
  weft__text_add(key, "for-90a %d\noptions %s\ntext\n%s", program->is_for_90a, program->options, program->text);
  free(version);
  return !key->failed;
}

/* ---- launches ---- */

static void add_launched(weft__launched *l, const char *text, size_t length) {
  int k = 0;
  while (k < l->count && !(strncmp(l->text[k], text, length) == 0 && !l->text[k][length])) k++;
  if (k < l->count || k == MOST_LAUNCHED || !(l->text[k] = strndup(text, length))) return;
  l->count++;
  l->is_new = true;
}

void weft__cached_launched(weft__launched *l, _Atomic(uint64_t) *last, const char *kernel, weft_dim3 grid,
                           weft_dim3 block) {
  char text[160];
  const bool is_small =
      grid.x * block.x <= SMALL_GRID && grid.y * block.y <= SMALL_GRID && grid.z * block.z <= SMALL_GRID;
  const uint64_t hash = weft__hash_word(weft__hash_word(weft__hash_word(is_small, block.x), block.y), block.z);
  if (atomic_load_explicit(last, memory_order_relaxed) == hash) return;
  const int length = snprintf(text, sizeof text, "%s %" PRIu64 "-%" PRIu64 "-%" PRIu64 "-goffs0%s", kernel, block.x,
                              block.y, block.z, is_small ? "-smallgrid" : "");
  if (length <= 0 || (size_t)length >= sizeof text) return;
  pthread_mutex_lock(&l->lock);
  add_launched(l, text, (size_t)length);
  pthread_mutex_unlock(&l->lock);
  atomic_store_explicit(last, hash, memory_order_relaxed);
}

static weft__launched *new_launched(void) {
  weft__launched *l = calloc(1, sizeof *l);
  if (l) pthread_mutex_init(&l->lock, NULL);
  return l;
}

void weft__launched_free(weft__launched *l) {
  if (!l) return;
  for (int k = 0; k < l->count; k++) free(l->text[k]);
  pthread_mutex_destroy(&l->lock);
  free(l);
}

/* ---- facts: "names 1", then "launched KERNEL SIZE" for each ---- */

static void write_facts(weft__text *out, const weft__program *program) {
  weft__launched *l = program->launched;
  weft__text_add(out, "names %d\n", program->has_arg_info);
  for (int k = 0; l && k < l->count; k++) weft__text_add(out, "launched %s\n", l->text[k]);
}

void weft__cached_expect(weft__program *program, const weft__part *facts) {
  weft__part rest = *facts, line;
  while (program->launched && (line = weft__part_next(&rest, "launched")).bytes)
    add_launched(program->launched, line.bytes, line.size);
}

static void read_facts(weft__program *program, const weft__part *facts) {
  const weft__part names = weft__part_line(facts, "names");
  program->has_arg_info = names.size == 1 && names.bytes[0] == '1';
  weft__cached_expect(program, facts);
  if (program->launched) program->launched->is_new = false;
}

/* ---- a file's source ---- */

static bool is_text(weft__part part, const char *text) {
  return part.size == strlen(text) && memcmp(part.bytes, text, part.size) == 0;
}

weft_status weft__cached_source_read(weft__cached_source *of, const weft__core *core, const weft__entry_parts *parts) {
  static const char mark[] = "\ntext\n";
  const weft__part version = weft__part_line(&parts->key, "weft"), kind = weft__part_line(&parts->key, "kind");
  const weft__part for_90a = weft__part_line(&parts->key, "for-90a");
  const char *end = parts->key.bytes + parts->key.size;
  of->options = weft__part_line(&parts->key, "options");
  of->is_for_90a = is_text(for_90a, "1");
  if (!version.bytes || !kind.bytes || !of->options.bytes ||
      (size_t)(end - (of->options.bytes + of->options.size)) < sizeof mark - 1 ||
      memcmp(of->options.bytes + of->options.size, mark, sizeof mark - 1) != 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "bytes", "`bytes` have no source");
  if (!is_text(version, WEFT_VERSION_STRING))
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "bytes", "`bytes` are of Weft %.*s; this is " WEFT_VERSION_STRING,
                      (int)version.size, version.bytes);
  if (!is_text(kind, kind_of(core)))
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "bytes", "`bytes` are for a device of the kind `%.*s`, this one is `%s`",
                      (int)kind.size, kind.bytes, kind_of(core));
  of->text.bytes = of->options.bytes + of->options.size + sizeof mark - 1;
  of->text.size = (size_t)(end - of->text.bytes);
  return WEFT_OK;
}

/* ---- finding ---- */

/// Builds the program from a file's code. NULL, or why not.
static const char *load(weft__program *program, weft__core *core, const weft__entry_parts *parts) {
  weft__code code = {0};
  const bool takes_options = core->device->quirks.builds_at_launch; /* for what is compiled later */
  if (weft__binary_read(&code, core, parts->code.bytes, parts->code.size, "cache")) return "its code was changed";
  int failed = weft__driver->program_load(&program->cl, core->cl, core->device->id, code.bytes, code.size_bytes, false);
  if (!failed)
    failed = weft__driver->program_build(program->cl, core->device->id, takes_options ? program->options : "");
  if (failed) {
    weft__release(program->cl);
    program->cl = NULL;
    free(code.head);
    return "the driver does not take it";
  }
  program->head = code.head;
  read_facts(program, &parts->facts);
  return NULL;
}

/// As load, for a file of which nothing is known but its name.
static const char *load_file(weft__program *program, weft__core *core, const weft__text *file, const weft__text *key) {
  weft__entry_parts parts;
  const char *why = weft__entry_read(&parts, weft__text_chars(file), file->length);
  if (why) return why;
  if (parts.key.size != key->length || memcmp(parts.key.bytes, key->chars, key->length) != 0)
    return "its file is of another program";
  return load(program, core, &parts);
}

static bool find(weft__program *program, weft__core *core, const weft__text *key, weft__text *said) {
  weft__entry_parts packed;
  weft__text file = {0}, why = {0};
  weft__disk disk;
  char name[WEFT__DISK_NAME_BYTES];
  const char *wrong = NULL;
  if (weft__packed_find(&packed, key->chars, key->length) && !load(program, core, &packed)) {
    weft__text_add(said, "from the program");
    weft__packed_count(WEFT__COUNT_PACKED_HIT);
    return true;
  }
  weft__disk_name(name, key->chars, key->length);
  if (weft__disk_open(&disk, false, &why) && weft__disk_read(&file, &disk, name, &why))
    wrong = load_file(program, core, &file, key);
  if (wrong) weft__text_add(&why, "%s", wrong);
  const bool is_hit = !wrong && program->cl;
  weft__text_add(said, "cache %s%s%s", is_hit ? "hit" : "miss", why.length ? ": " : "", weft__text_chars(&why));
  weft__packed_count(is_hit                           ? WEFT__COUNT_HIT
                     : why.length && disk.folder >= 0 ? WEFT__COUNT_REFUSED
                                                      : WEFT__COUNT_MISS);
  weft__disk_close(&disk);
  weft__text_free(&file);
  weft__text_free(&why);
  return is_hit;
}

bool weft__cached_find(weft__program *program, weft__core *core, weft__text *said) {
  weft__text key = {0};
  bool found = false;
  program->cached = WEFT__UNCACHED;
  if (!weft__disk_is_on() && !weft__packed_any()) return false;
  if (reads_files(program->text)) {
    weft__text_add(said, "no cache: the compiler reads files for it");
    return false;
  }
  if (core->device->quirks.builds_at_launch) program->launched = new_launched();
  weft__quiet_begin();
  if (make_key(&key, core, program)) {
    found = find(program, core, &key, said);
    program->cached = found ? WEFT__CACHE_HIT : WEFT__CACHE_MISS;
  }
  weft__quiet_end();
  weft__text_free(&key);
  return found;
}

/* ---- keeping ---- */

static void write_file(const weft__program *program, weft__core *core, weft__text *why) {
  weft__text key = {0}, facts = {0}, code = {0}, file = {0};
  weft__disk disk;
  char name[WEFT__DISK_NAME_BYTES];
  if (!weft__disk_open(&disk, true, why)) {
    /* then the driver need not make the binary, which may take long */
  } else if (!make_key(&key, core, program) || weft__binary_write(&code, core, program)) {
    weft__text_add(why, "the driver gives no binary");
  } else {
    write_facts(&facts, program);
    const weft__entry_parts parts = {{key.chars, key.length}, {facts.chars, facts.length}, {code.chars, code.length}};
    weft__entry_write(&file, &parts);
    weft__disk_name(name, key.chars, key.length);
    if (facts.failed || file.failed)
      weft__text_add(why, "no memory");
    else if (weft__disk_write(&disk, name, &file, why))
      weft__packed_count(WEFT__COUNT_STORED);
  }
  weft__disk_close(&disk);
  weft__text_free(&key);
  weft__text_free(&facts);
  weft__text_free(&code);
  weft__text_free(&file);
}

/// A driver gives the first binary of a program for ever: the program is built again, from the driver's own cache.
static void write_again(weft__program *program, weft__core *core, weft__text *why) {
  const char *call;
  weft__program again = {.text = program->text,
                         .options = program->options,
                         .is_for_90a = program->is_for_90a,
                         .launched = program->launched};
  if (weft__program_compile(&again, core, &call) == 0)
    write_file(&again, core, why);
  else
    weft__text_add(why, "it does not compile again");
  weft__release(again.cl);
}

void weft__cached_keep(weft__program *program, weft__core *core, bool is_end) {
  weft__launched *l = program->launched;
  weft__text why = {0};
  if (program->cached == WEFT__UNCACHED || !program->cl || !weft__disk_is_on() ||
      is_end != core->device->quirks.builds_at_launch || atomic_load(&core->lost))
    return;
  if (l) pthread_mutex_lock(&l->lock);
  const bool is_miss = program->cached == WEFT__CACHE_MISS, is_old = !is_miss && l && l->is_new;
  if (is_miss || is_old) {
    weft__quiet_begin();
    if (is_miss)
      write_file(program, core, &why);
    else
      write_again(program, core, &why);
    weft__quiet_end();
    program->cached = WEFT__CACHE_HIT;
    if (l) l->is_new = false;
  }
  if (l) pthread_mutex_unlock(&l->lock);
  if (why.length) weft__log(WEFT_LOG_DEBUG, "a program is not in the cache: %s", weft__text_chars(&why));
  weft__text_free(&why);
}
