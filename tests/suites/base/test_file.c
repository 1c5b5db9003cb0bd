// SPDX-License-Identifier: MIT
/// Reading and writing files (src/base/file.h): completely or not at all, despite signals, planted links and pipes.
/// This program replaces the system calls, so that they can fail, be interrupted, or do a part only.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"

/* ---- system calls ---- */

static struct faults {
  bool interrupts;    /* every other call fails with EINTR; the rest do a part */
  off_t reserve_most; /* a larger reservation is interrupted */
  int write_error, fsync_error, rename_error;
  int calls, fsyncs;
  bool cannot_reserve; /* posix_fallocate is not supported */
} faults;

static bool is_interrupted(void) {
  errno = EINTR;
  return faults.interrupts && faults.calls++ % 2 == 0;
}

static size_t piece(size_t count) {
  return faults.interrupts && count > 7 ? 7 : count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_interrupted()) return -1;
  if (faults.write_error && descriptor > STDERR_FILENO) {
    errno = faults.write_error;
    return -1;
  }
  return syscall(SYS_write, descriptor, bytes, piece(count));
}

ssize_t read(int descriptor, void *room, size_t count) {
  return is_interrupted() ? -1 : syscall(SYS_read, descriptor, room, piece(count));
}

int openat(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return is_interrupted() ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int fsync(int descriptor) {
  if (is_interrupted()) return -1;
  faults.fsyncs++;
  errno = faults.fsync_error;
  return faults.fsync_error ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int posix_fallocate(int descriptor, off_t from, off_t count) {
  if (is_interrupted() || (faults.reserve_most && count > faults.reserve_most)) return EINTR;
  const int why = syscall(SYS_fallocate, descriptor, 0, from, count) == 0 ? 0 : errno;
  if (why == EOPNOTSUPP) faults.cannot_reserve = true;
  return why;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  errno = faults.rename_error;
  return faults.rename_error ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0u);
}

/* ---- the folder ---- */

static char folder[] = "/tmp/weft-file-XXXXXX";
static char path[3][64]; /* new, old, victim */
enum { NEW, OLD, VICTIM };
static const char old_text[] = "the last good one";

static void plain_write(const char *to, const char *text) {
  int file = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0640);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
}

static void setup(void) {
  static const char *const names[] = {"new", "old", "victim"};
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int k = 0; k < 3; k++) snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
  plain_write(path[OLD], old_text);
  plain_write(path[VICTIM], old_text);
  ck_assert_int_eq(chmod(path[OLD], 0640), 0);
}

/// The number of other files in the folder, and the last one's name and mode.
static int beside(char name[256], mode_t *mode) {
  int count = 0;
  DIR *list = opendir(folder);
  ck_assert_ptr_nonnull(list);
  for (const struct dirent *entry; (entry = readdir(list));) {
    struct stat about;
    if (weft__new_file_maker(entry->d_name) == 0) continue;
    ck_assert_int_eq(fstatat(dirfd(list), entry->d_name, &about, AT_SYMLINK_NOFOLLOW), 0);
    if (name) strcpy(name, entry->d_name);
    if (mode) *mode = about.st_mode & 07777;
    count++;
  }
  closedir(list);
  return count;
}

static void teardown(void) {
  faults = (struct faults){0};
  ck_assert_int_eq(beside(NULL, NULL), 0);
  for (int k = 0; k < 3; k++) unlink(path[k]);
  ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

static void holds(const char *file, const char *text) {
  weft__text content = {0};
  ck_assert_int_eq(weft__file_text(&content, file), 0);
  ck_assert_str_eq(weft__text_chars(&content), text);
  weft__text_free(&content);
}

static mode_t mode_of(const char *file) {
  struct stat about;
  ck_assert_int_eq(lstat(file, &about), 0);
  return about.st_mode & 07777;
}

static int write_whole(weft__new_file *file, const char *to, const char *text) {
  int why = weft__new_file_begin(file, AT_FDCWD, to, WEFT__ANY_FILE);
  if (why == 0) why = weft__new_file_write(file, text, strlen(text));
  if (why == 0) why = weft__new_file_end(file, true);
  weft__new_file_drop(file);
  return why;
}

/* ---- completely or not at all ---- */

START_TEST(the_old_file_stays_until_the_new_one_is_whole)
{
  weft__new_file file;
  char name[256];
  mode_t mode;
  const mode_t before = umask(027);
  for (int k = NEW; k <= OLD; k++) {
    ck_assert_int_eq(weft__new_file_begin(&file, AT_FDCWD, path[k], WEFT__ANY_FILE), 0);
    ck_assert_int_eq(weft__new_file_write(&file, "half of it", 10), 0);
    ck_assert_int_eq(beside(name, &mode), 1);
    ck_assert_int_eq(weft__new_file_maker(name), getpid());
    ck_assert_int_eq(mode, 0600); /* unreadable to others while incomplete */
    if (k == OLD) holds(path[OLD], old_text);
    if (k == NEW) ck_assert_int_ne(access(path[NEW], F_OK), 0);
    weft__new_file_drop(&file);
    ck_assert_int_eq(beside(NULL, NULL), 0);
    if (k == OLD) holds(path[OLD], old_text);
  }
  faults.fsyncs = 0;
  ck_assert_int_eq(write_whole(&file, path[NEW], "new"), 0);
  ck_assert_int_eq(faults.fsyncs, 2); /* the file's bytes first, then the folder */
  holds(path[NEW], "new");
  ck_assert_int_eq(mode_of(path[NEW]), 0640); /* as umask allows */
  for (mode = 0600; mode <= 0666; mode += 066) {
    ck_assert_int_eq(chmod(path[OLD], mode), 0);
    ck_assert_int_eq(write_whole(&file, path[OLD], "newer"), 0);
    holds(path[OLD], "newer");
    ck_assert_int_eq(mode_of(path[OLD]), mode);
  }
  umask(before);
}
END_TEST

START_TEST(what_fails_leaves_the_old_file)
{
  static const struct {
    struct faults faults;
    const char *step;
  } cases[] = {
      {{.write_error = ENOSPC}, "write"},
      {{.fsync_error = EIO}, "write"},
      {{.rename_error = EPERM}, "replace"},
  };
  weft__new_file file;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int p = NEW; p <= OLD; p++) {
      faults = cases[k].faults;
      int why = write_whole(&file, path[p], "new");
      faults = (struct faults){0};
      ck_assert_int_eq(why, cases[k].faults.write_error + cases[k].faults.fsync_error + cases[k].faults.rename_error);
      ck_assert_str_eq(file.step, cases[k].step);
      ck_assert_int_eq(beside(NULL, NULL), 0);
      holds(path[OLD], old_text);
      ck_assert_int_ne(access(path[NEW], F_OK), 0);
    }
}
END_TEST

START_TEST(a_file_that_may_grow_no_further)
{
  struct rlimit before, limit;
  weft__new_file file;
  static char large[100000];
  memset(large, 'x', sizeof large - 1);
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 40000;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  int why = write_whole(&file, path[OLD], large);
  int room = weft__new_file_begin(&file, AT_FDCWD, path[OLD], WEFT__ANY_FILE);
  if (room == 0) room = weft__new_file_reserve(&file, 50000);
  weft__new_file_drop(&file);
  setrlimit(RLIMIT_FSIZE, &before);
  ck_assert_int_eq(why, EFBIG);
  ck_assert_int_eq(room, EFBIG);
  ck_assert_str_eq(file.step, "make room in");
  holds(path[OLD], old_text);
}
END_TEST

START_TEST(what_may_not_be_written_is_not_replaced)
{
  weft__new_file file;
  if (geteuid() == 0) { /* root may write everything: test as another user */
    ck_assert_int_eq(chmod(folder, 0777), 0);
    ck_assert_int_eq(chown(path[OLD], 65534, 65534), 0);
    ck_assert_int_eq(seteuid(65534), 0);
  }
  ck_assert_int_eq(chmod(path[OLD], 0440), 0);
  int why = write_whole(&file, path[OLD], "new");
  if (getuid() == 0) ck_assert_int_eq(seteuid(0), 0);
  ck_assert_int_eq(why, EACCES);
  holds(path[OLD], old_text);
}
END_TEST

START_TEST(places_where_there_can_be_no_file)
{
  static const struct {
    const char *path;
    int why;
  } cases[] = {{"", ENOENT}, {"none/x", ENOENT}, {"./", EISDIR}, {".", EISDIR}, {"/dev/null/x", ENOTDIR}};
  weft__new_file file;
  char longest[300];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    ck_assert_int_eq(write_whole(&file, cases[k].path, "new"), cases[k].why);
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  ck_assert_int_eq(write_whole(&file, longest, "new"), ENAMETOOLONG);
}
END_TEST

START_TEST(names_of_files_that_are_being_made)
{
  ck_assert_int_eq(weft__new_file_maker(".weft-123-00112233445566ff.tmp"), 123);
  static const char *const others[] = {
      "", "x", ".weft-0-0.tmp", ".weft--1-0.tmp", ".weft-1-.tmp", ".weft-1-0.tmp2", "weft-1-0.tmp", ".weft-1"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) ck_assert_int_eq(weft__new_file_maker(others[k]), 0);
}
END_TEST

/* ---- signals ---- */

START_TEST(interrupted_calls_go_on)
{
  weft__new_file file;
  weft__text content = {0};
  char text[5001];
  for (int i = 0; i < 5000; i++) text[i] = (char)('a' + i % 26);
  text[5000] = 0;
  for (int first = 0; first < 2; first++) {
    faults = (struct faults){.interrupts = true, .calls = first};
    int why = write_whole(&file, path[first], text);
    int read_why = weft__file_text(&content, path[first]);
    faults = (struct faults){0};
    ck_assert_int_eq(why, 0);
    ck_assert_int_eq(read_why, 0);
    ck_assert_str_eq(weft__text_chars(&content), text);
    weft__text_clear(&content);
  }
  weft__text_free(&content);
}
END_TEST

START_TEST(room_is_made_between_signals)
{
  enum { SIZE = 5 << 20 };
  for (off_t most = 1 << 20; most <= SIZE; most *= 2) {
    weft__new_file file;
    struct stat about;
    ck_assert_int_eq(weft__new_file_begin(&file, AT_FDCWD, path[NEW], WEFT__ANY_FILE), 0);
    faults = (struct faults){.interrupts = true, .reserve_most = most * 2};
    int why = weft__new_file_reserve(&file, SIZE);
    const bool reserved = !faults.cannot_reserve;
    faults = (struct faults){0};
    ck_assert_int_eq(why, 0);
    ck_assert_int_eq(fstat(file.descriptor, &about), 0);
    ck_assert_int_eq(about.st_size, SIZE);
    if (reserved) ck_assert_int_ge(about.st_blocks * 512, SIZE);
    weft__new_file_drop(&file);
  }
}
END_TEST

/* ---- links, pipes, folders ---- */

START_TEST(links_of_this_user_are_followed)
{
  weft__new_file file;
  struct stat about;
  /* a chain of relative links; a link to a missing file; a link to itself */
  char link[2][80];
  for (int k = 0; k < 2; k++) snprintf(link[k], sizeof link[k], "%s/link%d", folder, k);
  ck_assert_int_eq(symlink("link1", link[0]), 0);
  ck_assert_int_eq(symlink(path[OLD], link[1]), 0);
  ck_assert_int_eq(write_whole(&file, link[0], "new"), 0);
  holds(path[OLD], "new");
  ck_assert_int_eq(mode_of(path[OLD]), 0640);
  ck_assert_int_eq(lstat(link[0], &about), 0);
  ck_assert(S_ISLNK(about.st_mode));
  unlink(link[1]);
  ck_assert_int_eq(symlink("new", link[1]), 0);
  ck_assert_int_eq(write_whole(&file, link[0], "made"), 0);
  holds(path[NEW], "made");
  unlink(link[1]);
  ck_assert_int_eq(symlink("link0", link[1]), 0);
  ck_assert_int_eq(write_whole(&file, link[0], "new"), ELOOP);
  unlink(link[0]);
  unlink(link[1]);
}
END_TEST

START_TEST(links_of_others_are_not_followed)
{
  weft__new_file file;
  if (geteuid() != 0) {
    fprintf(stderr, "not tried: only root can make a link of another user\n");
    return;
  }
  ck_assert_int_eq(symlink(path[VICTIM], path[NEW]), 0);
  ck_assert_int_eq(lchown(path[NEW], 65534, 65534), 0);
  ck_assert_int_eq(write_whole(&file, path[NEW], "new"), EACCES);
  ck_assert_str_eq(file.step, "follow the link of another user,");
  holds(path[VICTIM], old_text);
}
END_TEST

START_TEST(no_file_takes_the_place_of_a_closed_output)
{
  weft__new_file file;
  int kept[3], read_from = -1, was_open = 0;
  for (int k = 0; k < 3; k++) {
    kept[k] = fcntl(k, F_DUPFD_CLOEXEC, 10);
    close(k);
  }
  const int why = weft__new_file_begin(&file, AT_FDCWD, path[NEW], WEFT__FILES_ONLY);
  const int opened = weft__file_open(&read_from, NULL, AT_FDCWD, path[OLD], 0);
  for (int k = 0; k < 3; k++) was_open += fcntl(k, F_GETFD) >= 0;
  for (int k = 0; k < 3; k++) dup2(kept[k], k), close(kept[k]);
  ck_assert_int_eq(why, 0);
  ck_assert_int_eq(opened, 0);
  ck_assert_int_eq(was_open, 0);
  ck_assert_int_gt(file.descriptor, 2);
  ck_assert_int_gt(file.folder, 2);
  ck_assert_int_gt(read_from, 2);
  ck_assert_int_eq(fcntl(read_from, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  close(read_from);
  weft__new_file_drop(&file);
}
END_TEST

START_TEST(pipes_are_not_waited_for)
{
  weft__new_file file;
  weft__text text = {0};
  int descriptor;
  ck_assert_int_eq(mkfifo(path[NEW], 0600), 0);
  ck_assert_int_eq(weft__file_text(&text, path[NEW]), WEFT__NOT_A_FILE);
  ck_assert_int_eq(weft__file_text(&text, "/dev/zero"), WEFT__NOT_A_FILE);
  ck_assert_int_eq(weft__file_text(&text, folder), WEFT__NOT_A_FILE);
  ck_assert_int_eq(weft__file_open(&descriptor, NULL, AT_FDCWD, "none", 0), ENOENT);
  ck_assert_int_eq(weft__new_file_begin(&file, AT_FDCWD, path[NEW], WEFT__FILES_ONLY), WEFT__NOT_A_FILE);
  ck_assert_ptr_nonnull(strstr(weft__file_error(WEFT__NOT_A_FILE), "a pipe"));
  /* with WEFT__ANY_FILE pipes are written to instead of replaced */
  int reader = open(path[NEW], O_RDONLY | O_NONBLOCK);
  char got[8] = "";
  ck_assert_int_eq(write_whole(&file, path[NEW], "new"), 0);
  ck_assert_int_eq(read(reader, got, sizeof got), 3);
  ck_assert_str_eq(got, "new");
  close(reader);
  struct stat about;
  ck_assert_int_eq(write_whole(&file, "/dev/null", "new"), 0);
  ck_assert_int_eq(stat("/dev/null", &about), 0);
  ck_assert(S_ISCHR(about.st_mode));
}
END_TEST

START_TEST(an_open_file_by_its_number_is_written_to_itself)
{
  weft__new_file file;
  struct stat before, after;
  char number[40];
  int descriptor = open(path[OLD], O_RDWR);
  snprintf(number, sizeof number, "/dev/fd/%d", descriptor); /* /dev/stdout is such a link */
  ck_assert_int_eq(fstat(descriptor, &before), 0);
  ck_assert_int_eq(write_whole(&file, number, "new"), 0);
  holds(path[OLD], "new");
  ck_assert_int_eq(stat(path[OLD], &after), 0);
  ck_assert_uint_eq(after.st_ino, before.st_ino);
  close(descriptor);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "file");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, the_old_file_stays_until_the_new_one_is_whole);
  tcase_add_test(tc, what_fails_leaves_the_old_file);
  tcase_add_test(tc, a_file_that_may_grow_no_further);
  tcase_add_test(tc, what_may_not_be_written_is_not_replaced);
  tcase_add_test(tc, places_where_there_can_be_no_file);
  tcase_add_test(tc, names_of_files_that_are_being_made);
  tcase_add_test(tc, interrupted_calls_go_on);
  tcase_add_test(tc, room_is_made_between_signals);
  tcase_add_test(tc, links_of_this_user_are_followed);
  tcase_add_test(tc, links_of_others_are_not_followed);
  tcase_add_test(tc, pipes_are_not_waited_for);
  tcase_add_test(tc, no_file_takes_the_place_of_a_closed_output);
  tcase_add_test(tc, an_open_file_by_its_number_is_written_to_itself);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "file", .add = add, .host_only = true});
}
