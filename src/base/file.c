// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* O_PATH: opens a folder that may be written but not listed */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/secure.h"

enum { MOST_LINKS = 40, MOST_NAMES = 100 };
#define LARGEST_PIECE ((size_t)1 << 30)      /* of one read or write */
#define SMALLEST_RESERVE (UINT64_C(1) << 20) /* fits between two signals of a timer */

/// Repeats a call until no signal interrupts it.
#define REPEATED(result, call) \
  do (result) = (call);        \
  while ((result) < 0 && errno == EINTR)

/* ---- reading ---- */

const char *weft__file_error(int why) {
  return why == WEFT__NOT_A_FILE ? "it is a directory, a pipe or a device, not a regular file" : strerror(why);
}

int weft__file_above_output(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), why = errno;
  close(descriptor);
  errno = why;
  return above;
}

int weft__file_open(int *descriptor, struct stat *about, int folder, const char *path, int flags) {
  struct stat found;
  int file, why = 0;
  REPEATED(file, openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags));
  if ((file = weft__file_above_output(file)) < 0) return errno;
  if (fstat(file, &found) != 0)
    why = errno;
  else if (!S_ISREG(found.st_mode))
    why = WEFT__NOT_A_FILE;
  if (why) {
    close(file);
    return why;
  }
  *descriptor = file;
  if (about) *about = found;
  return 0;
}

int weft__file_read(int descriptor, void *room, size_t room_bytes, size_t *read_bytes) {
  size_t done = 0;
  ssize_t count = 1;
  while (done < room_bytes && count > 0) {
    const size_t left = room_bytes - done;
    REPEATED(count, read(descriptor, (char *)room + done, left < LARGEST_PIECE ? left : LARGEST_PIECE));
    if (count > 0) done += (size_t)count;
  }
  *read_bytes = done;
  return count < 0 ? errno : 0;
}

int weft__file_text(weft__text *out, const char *path) {
  char block[4096];
  size_t count = sizeof block;
  int file = -1, why = weft__file_open(&file, NULL, AT_FDCWD, path, 0);
  if (why) return why;
  while (why == 0 && count == sizeof block) {
    why = weft__file_read(file, block, sizeof block, &count);
    weft__text_add_bytes(out, block, count);
  }
  close(file);
  return why == 0 && out->failed ? ENOMEM : why;
}

/* ---- writing ---- */

int weft__file_make_folders(char *path) {
  for (char *end = path; end;) {
    end = strchr(end + 1, '/');
    if (end) *end = 0;
    const int why = mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
    const bool is_there = access(path, F_OK) == 0; /* some systems report EACCES or EROFS before EEXIST */
    if (end) *end = '/';
    if (why && !is_there) return why;
  }
  return 0;
}

int weft__file_can_make(const char *folder) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s", folder);
  if (length <= 0 || length >= PATH_MAX) return ENAMETOOLONG;
  while (access(path, F_OK) != 0) {
    if (errno != ENOENT) return errno;
    char *slash = strrchr(path, '/');
    if (!slash) return access(".", W_OK | X_OK) == 0 ? 0 : errno;
    slash[slash == path] = 0; /* the root keeps its slash */
  }
  return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

bool weft__file_cache_folder(char path[PATH_MAX]) {
  const char *caches = weft__getenv("XDG_CACHE_HOME"), *home = weft__getenv("HOME");
  int length = 0;
  if (caches && caches[0] == '/')
    length = snprintf(path, PATH_MAX, "%s/weft", caches);
  else if (home && home[0] == '/')
    length = snprintf(path, PATH_MAX, "%s/.cache/weft", home);
  return length > 0 && length < PATH_MAX;
}

/// Whether a file that ends there would end the process, by SIGXFSZ.
static bool is_over_limit(uint64_t end) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur;
}

int weft__file_write(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  const off_t begin = count ? lseek(descriptor, 0, SEEK_CUR) : -1; /* -1: a pipe, without a size */
  if (begin >= 0 && is_over_limit((uint64_t)begin + count)) return EFBIG;
  while (count > 0) {
    ssize_t written;
    REPEATED(written, write(descriptor, next, count < LARGEST_PIECE ? count : LARGEST_PIECE));
    if (written < 0) return errno;
    next += written;
    count -= (size_t)written;
  }
  return 0;
}

static int failed(weft__new_file *file, const char *step, int why) {
  file->step = step;
  return why;
}

/// Opens the folder of `path` as file->folder, and keeps the last part as file->name. A relative path begins at `from`.
static int enter_folder(weft__new_file *file, int from, char *path) {
  char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int folder;
  if (!path[0]) return ENOENT;
  if (!name[0]) return EISDIR;
  if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
  strcpy(file->name, name);
  if (slash) *name = 0;
  REPEATED(folder, openat(from, slash ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if ((folder = weft__file_above_output(folder)) < 0) return errno;
  if (file->folder >= 0) close(file->folder);
  file->folder = folder;
  return 0;
}

/// Whether the folder is in /proc, where links lead to open files (/dev/stdout leads to /proc/self/fd).
static bool is_of_processes(int folder) {
  struct statfs about;
  return fstatfs(folder, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

/// Follows `path` to its target and reads what is there.
static int find_target(weft__new_file *file, int from, const char *path) {
  char here[PATH_MAX];
  struct stat there;
  if (strlen(path) >= sizeof here) return failed(file, "find", ENAMETOOLONG);
  strcpy(here, path);
  for (int links = 0; links <= MOST_LINKS; links++) {
    int why = enter_folder(file, links ? file->folder : from, here);
    if (why) return failed(file, "make", why);
    if (fstatat(file->folder, file->name, &there, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? 0 : failed(file, "find", errno);
    if (!S_ISLNK(there.st_mode)) {
      file->in_place = !S_ISREG(there.st_mode);
      file->replaces = !file->in_place;
      file->mode = there.st_mode & 0777;
      file->owner = there.st_uid;
      file->group = there.st_gid;
      return 0;
    }
    if (is_of_processes(file->folder)) {
      file->in_place = true;
      return 0;
    }
    /* in a shared folder another user could plant a link to any of this user's files */
    if (there.st_uid != geteuid() && there.st_uid != 0) return failed(file, "follow the link of another user,", EACCES);
    const ssize_t length = readlinkat(file->folder, file->name, here, sizeof here - 1);
    if (length < 0) return failed(file, "follow the link", errno);
    here[length] = 0;
  }
  return failed(file, "follow the link", ELOOP);
}

static int open_in_place(weft__new_file *file) {
  const int how = is_of_processes(file->folder) ? O_TRUNC : O_NOFOLLOW;
  REPEATED(file->descriptor, openat(file->folder, file->name, O_WRONLY | O_NOCTTY | O_CLOEXEC | how));
  file->descriptor = weft__file_above_output(file->descriptor);
  return file->descriptor < 0 ? failed(file, "open", errno) : 0;
}

static int open_beside(weft__new_file *file) {
  const int how = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  struct stat made;
  /* do not replace a file that this user may not write */
  if (file->replaces && faccessat(file->folder, file->name, W_OK, AT_EACCESS) != 0) return failed(file, "write", errno);
  for (int names = 0; file->descriptor < 0; names++) {
    uint64_t random;
    ssize_t count;
    REPEATED(count, getrandom(&random, sizeof random, 0));
    if (count != sizeof random) return failed(file, "choose a temporary name for", count < 0 ? errno : EIO);
    snprintf(file->beside, sizeof file->beside, ".weft-%ld-%016" PRIx64 ".tmp", (long)getpid(), random);
    /* 0666: a new file takes its mode from umask and folder, and is 0600 only while incomplete */
    REPEATED(file->descriptor, openat(file->folder, file->beside, how, file->replaces ? 0600 : 0666));
    file->descriptor = weft__file_above_output(file->descriptor);
    if (file->descriptor < 0 && (errno != EEXIST || names == MOST_NAMES))
      return failed(file, file->replaces ? "make a temporary file for" : "make", errno);
  }
  if (file->replaces) return 0;
  if (fstat(file->descriptor, &made) != 0 || fchmod(file->descriptor, 0600) != 0) return failed(file, "make", errno);
  file->mode = made.st_mode & 0777;
  return 0;
}

int weft__new_file_begin(weft__new_file *file, int folder, const char *path, weft__new_file_kind kind) {
  *file = WEFT__NO_NEW_FILE;
  int why = find_target(file, folder, path);
  if (why == 0 && file->in_place && kind == WEFT__FILES_ONLY) why = WEFT__NOT_A_FILE;
  if (why == 0) why = file->in_place ? open_in_place(file) : open_beside(file);
  if (why) weft__new_file_drop(file);
  return why;
}

int weft__new_file_reserve(weft__new_file *file, uint64_t size_bytes) {
  uint64_t done = 0, piece = size_bytes;
  if (size_bytes > (uint64_t)INT64_MAX || is_over_limit(size_bytes)) return failed(file, "make room in", EFBIG);
  while (done < size_bytes) {
    const uint64_t left = size_bytes - done, now = piece < left ? piece : left;
    int why = posix_fallocate(file->descriptor, (off_t)done, (off_t)now);
    if (why == EOPNOTSUPP) {
      REPEATED(why, ftruncate(file->descriptor, (off_t)size_bytes));
      return why ? failed(file, "make room in", errno) : 0;
    }
    /* some file systems undo an interrupted reservation: under a timer a large one would never succeed */
    if (why == EINTR && piece / 2 >= SMALLEST_RESERVE) piece /= 2;
    if (why && why != EINTR) return failed(file, "make room in", why);
    if (why == 0) done += now;
  }
  return 0;
}

int weft__new_file_write(weft__new_file *file, const void *bytes, size_t count) {
  const int why = weft__file_write(file->descriptor, bytes, count);
  return why ? failed(file, "write", why) : 0;
}

static int sync_to_disk(int descriptor) {
  int result;
  REPEATED(result, fsync(descriptor));
  return result == 0 || errno == EINVAL ? 0 : errno; /* some file systems do not support fsync */
}

/// Syncs the folder, so that the new name is on disk. Skipped without the right to list it: the system syncs it later.
static void sync_folder(int folder) {
  int descriptor;
  REPEATED(descriptor, openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if ((descriptor = weft__file_above_output(descriptor)) < 0) return;
  (void)sync_to_disk(descriptor);
  close(descriptor);
}

int weft__new_file_end(weft__new_file *file, bool is_lasting) {
  int why = 0;
  if (!file->in_place) {
    /* keep the old owner if allowed; else at least the group; else drop the group's rights, as it is another group */
    if (file->replaces && fchown(file->descriptor, file->owner, file->group) != 0 &&
        fchown(file->descriptor, (uid_t)-1, file->group) != 0)
      file->mode &= 0707;
    if (fchmod(file->descriptor, file->mode) != 0) why = failed(file, "write", errno);
    if (why == 0 && is_lasting && (why = sync_to_disk(file->descriptor)) != 0) failed(file, "write", why);
  }
  if (close(file->descriptor) != 0 && errno != EINTR && why == 0) why = failed(file, "write", errno);
  file->descriptor = -1;
  if (!file->in_place && why == 0) {
    if (renameat(file->folder, file->beside, file->folder, file->name) != 0)
      why = failed(file, "replace", errno);
    else
      file->beside[0] = 0;
  }
  if (why == 0 && !file->in_place && is_lasting) sync_folder(file->folder);
  weft__new_file_drop(file);
  return why;
}

void weft__new_file_drop(weft__new_file *file) {
  if (file->descriptor >= 0) close(file->descriptor);
  if (file->folder >= 0) {
    if (file->beside[0]) unlinkat(file->folder, file->beside, 0);
    close(file->folder);
  }
  file->descriptor = file->folder = -1;
  file->beside[0] = 0;
}

long weft__new_file_maker(const char *name) {
  long pid = 0;
  int end = 0;
  uint64_t random;
  return sscanf(name, ".weft-%ld-%16" SCNx64 ".tmp%n", &pid, &random, &end) == 2 && end > 0 && !name[end] && pid > 0
             ? pid
             : 0;
}
