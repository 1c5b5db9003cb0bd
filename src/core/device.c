// SPDX-License-Identifier: MIT
/// Lists the devices and chooses one.
#include "core/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/environment.h"
#include "base/fork.h"
#include "base/object.h"
#include "core/pocl_cache.h"
#include "ocl/codes.h"

#define MAX_DEVICES 256 /* more than any machine has; fixed, so that pointers into the list stay valid */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static weft__device *registry; /* an array of MAX_DEVICES, allocated when devices are listed */
static int listed;             /* devices that the platforms list; they have the numbers that users see */
static int known;              /* includes devices met later through foreign contexts */
static unsigned listed_generation;
static weft__text unusable; /* why an installed driver lists no device */
static bool no_loader;      /* OpenCL's loader, which finds the drivers, is missing */

static _Thread_local int thread_choice = -1;

static void forget(int from) {
  for (int i = from; i < known; i++)
    for (size_t t = 0; t < sizeof registry[i].text / sizeof *registry[i].text; t++) free(registry[i].text[t]);
  known = from;
}

static bool needs_cache(weft__cl_platform platform) {
  char *name;
  bool needs = !weft__driver_text(&name, &(weft__text_of){.kind = WEFT__TEXT_PLATFORM_NAME, .platform = platform}) &&
               strstr(name, WEFT__CACHE_PLATFORM);
  free(name);
  return needs;
}

static weft_status list_platform(weft__cl_platform platform) {
  weft__cl_device *ids = NULL;
  uint32_t count = 0;
  weft_status rc = WEFT_OK;
  int code = 0;
  if (!weft__cache_is_fatal() || !needs_cache(platform)) code = weft__driver->devices(NULL, 0, &count, platform);
  if (code) return weft__cl_fail(code, "clGetDeviceIDs");
  if (count == 0) {
    /* either it has no devices, or its driver could not start: notes the reason */
    if (!unusable.length && needs_cache(platform)) weft__cache_works(&unusable);
    return WEFT_OK;
  }
  if (!(ids = weft__new(count * sizeof *ids))) return WEFT_ERROR_HOST_MEMORY;
  if ((code = weft__driver->devices(ids, count, &count, platform))) WEFT__TRY(weft__cl_fail(code, "clGetDeviceIDs"));
  for (uint32_t i = 0; i < count && known < MAX_DEVICES; i++, known++)
    WEFT__TRY(weft__device_read(&registry[known], ids[i], known));
done:
  free(ids);
  return rc;
}

static weft_status list_all(void) {
  weft__cl_platform *platforms = NULL;
  uint32_t count = 0;
  weft_status rc = WEFT_OK;
  weft__text_clear(&unusable);
  if (!registry && !(registry = weft__new(MAX_DEVICES * sizeof *registry))) return WEFT_ERROR_HOST_MEMORY;
  int code = weft__driver->platforms(NULL, 0, &count);
  no_loader = code == WEFT__CL_NO_LOADER;
  if (no_loader) return WEFT_OK;
  if (code) return weft__cl_fail(code, "clGetPlatformIDs");
  if (count == 0) return WEFT_OK;
  if (!(platforms = weft__new(count * sizeof *platforms))) return WEFT_ERROR_HOST_MEMORY;
  if ((code = weft__driver->platforms(platforms, count, &count))) WEFT__TRY(weft__cl_fail(code, "clGetPlatformIDs"));
  for (uint32_t i = 0; i < count; i++) WEFT__TRY(list_platform(platforms[i]));
  if (known == 0 && unusable.length) rc = weft__fail(WEFT_ERROR_DRIVER, NULL, "%s", weft__text_chars(&unusable));
done:
  free(platforms);
  if (rc) forget(0);
  return rc;
}

/// All devices, listed once per process and never freed.
static weft_status list_devices(weft__device **devices, int *count) {
  weft_status rc = WEFT_OK;
  unsigned generation = weft__fork_generation();
  pthread_mutex_lock(&lock);
  if (listed > 0 && listed_generation != generation)
    WEFT__TRY(weft__fail(WEFT_ERROR_FORKED, NULL,
                         "this process was forked from one that had used OpenCL; use exec, or fork first"));
  if (listed == 0) {
    WEFT__TRY(list_all());
    listed = known;
    listed_generation = generation;
  }
done:
  *devices = registry;
  *count = rc ? 0 : listed;
  pthread_mutex_unlock(&lock);
  return weft__while(rc, "listing the OpenCL devices");
}

weft_status weft__device_of_id(weft__device **device, weft__cl_device id) {
  weft__device *devices;
  int count;
  weft_status rc = WEFT_OK;
  WEFT__TRY_RETURN(list_devices(&devices, &count));
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < known && registry[i].id != id) i++;
  if (i == known) {
    if (known == MAX_DEVICES) WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "more than %d devices", MAX_DEVICES));
    WEFT__TRY(weft__device_read(&registry[known], id, -1));
    known++;
  }
done:
  pthread_mutex_unlock(&lock);
  *device = rc ? NULL : &registry[i];
  return rc;
}

/// Larger is better: discrete GPUs, other GPUs, accelerators, the rest, CPUs.
static int class_of(const weft_device_info *info) {
  switch (info->type) {
    case WEFT_DEVICE_TYPE_GPU:
      return info->is_discrete ? 4 : 3;
    case WEFT_DEVICE_TYPE_ACCELERATOR:
      return 2;
    case WEFT_DEVICE_TYPE_OTHER:
      return 1;
    default:
      return 0;
  }
}

static bool is_better(const weft_device_info *a, const weft_device_info *b) {
  if (class_of(a) != class_of(b)) return class_of(a) > class_of(b);
  if (a->memory_bandwidth && b->memory_bandwidth) return a->memory_bandwidth > b->memory_bandwidth;
  return (uint64_t)a->compute_units * a->clock_mhz > (uint64_t)b->compute_units * b->clock_mhz;
}

static bool contains(const char *text, const char *part) {
  size_t length = strlen(part);
  for (; *text; text++)
    if (strncasecmp(text, part, length) == 0) return true;
  return false;
}

static bool matches(const weft_device_info *info, const char *selector) {
  if (strcasecmp(selector, weft_device_type_name(info->type)) == 0) return true;
  /* a type's name selects the type, not a device whose name contains it ("cpu" in PoCL's "cpu-skylake") */
  for (int t = 0; t <= WEFT_DEVICE_TYPE_ACCELERATOR; t++)
    if (strcasecmp(selector, weft_device_type_name((weft_device_type)t)) == 0) return false;
  return contains(info->name, selector) || contains(info->platform, selector);
}

static weft_status no_such_device(const weft__device *devices, int count, const char *argument, const char *selector) {
  if (no_loader)
    return weft__fail(
        WEFT_ERROR_NO_DEVICE, argument,
        "no OpenCL loader: libOpenCL.so.1 is missing, broken or too old; install it (Debian, Ubuntu: apt install "
        "ocl-icd-libopencl1) and a driver (for CPUs: PoCL, package pocl-opencl-icd)");
  if (count == 0)
    return weft__fail(
        WEFT_ERROR_NO_DEVICE, argument,
        "no OpenCL device found; install a driver with an OpenCL ICD (for CPUs: PoCL, package pocl-opencl-icd)");
  weft__text list = {0};
  for (int i = 0; i < count; i++)
    weft__text_add(&list, "%s%d: %s (%s)", i ? ", " : "", i, devices[i].info.name,
                   weft_device_type_name(devices[i].info.type));
  if (unusable.length) weft__text_add(&list, "; %s", weft__text_chars(&unusable));
  weft__fail(WEFT_ERROR_NO_DEVICE, argument, "no device matches `%s`; %d %s there, %s", selector, count,
             count == 1 ? "is" : "are", weft__text_chars(&list));
  weft__text_free(&list);
  return WEFT_ERROR_NO_DEVICE;
}

static weft_status find(weft__device **device, const char *selector) {
  weft__device *devices;
  int count;
  WEFT__TRY_RETURN(list_devices(&devices, &count));
  weft__device *best = NULL;
  char *end;
  errno = 0;
  long number = strtol(selector, &end, 10);
  if (selector[0] && *end == 0) {
    if (errno == 0 && number >= 0 && number < count) best = &devices[number];
  } else {
    bool any = selector[0] == 0 || strcasecmp(selector, "best") == 0;
    for (int i = 0; i < count; i++)
      if ((any || matches(&devices[i].info, selector)) && (!best || is_better(&devices[i].info, &best->info)))
        best = &devices[i];
  }
  *device = best;
  return best ? WEFT_OK : no_such_device(devices, count, "selector", selector);
}

weft_status weft__device_choose(weft__device **device, const char *selector) {
  const char *environment = weft__environment_text(WEFT__ENV_DEVICE);
  if (selector && selector[0]) return find(device, selector);
  if (thread_choice >= 0) {
    weft__device *devices;
    int count;
    WEFT__TRY_RETURN(list_devices(&devices, &count));
    *device = &devices[thread_choice];
    return WEFT_OK;
  }
  if (environment) return weft__while(find(device, environment), "following WEFT_DEVICE=%s", environment);
  return find(device, "");
}

const char *weft_device_type_name(weft_device_type type) {
  switch (type) {
    case WEFT_DEVICE_TYPE_CPU:
      return "cpu";
    case WEFT_DEVICE_TYPE_GPU:
      return "gpu";
    case WEFT_DEVICE_TYPE_ACCELERATOR:
      return "accelerator";
    default:
      return "other";
  }
}

weft_status weft_device_count(int *count) {
  weft__device *devices;
  weft__enter("weft_device_count", NULL);
  WEFT__NEED(count);
  return weft__leave(list_devices(&devices, count));
}

/// The device that users know by this number.
static weft_status device_at(weft__device **device, int index) {
  weft__device *devices;
  int count;
  WEFT__TRY_RETURN(list_devices(&devices, &count));
  if (index < 0 || index >= count) {
    char number[16];
    snprintf(number, sizeof number, "%d", index);
    return no_such_device(devices, count, "index", number);
  }
  *device = &devices[index];
  return WEFT_OK;
}

weft_status weft_device_get(weft_device_info *info, int index) {
  weft__device *device = NULL;
  weft__enter("weft_device_get", NULL);
  WEFT__NEED(info);
  weft_status rc = device_at(&device, index);
  if (rc == WEFT_OK) *info = device->info;
  return weft__leave(rc);
}

weft_status weft_device_find(int *index, const char *selector) {
  weft__device *device;
  weft__enter("weft_device_find", NULL);
  WEFT__NEED(index);
  weft_status rc = find(&device, selector ? selector : "");
  if (rc == WEFT_OK) *index = device->info.index;
  return weft__leave(rc);
}

weft_status weft_device_use(int index) {
  weft__device *device;
  weft__enter("weft_device_use", NULL);
  weft_status rc = device_at(&device, index);
  if (rc == WEFT_OK) thread_choice = index;
  return weft__leave(rc);
}

weft_status weft_device_used(int *index) {
  weft__device *device;
  weft__enter("weft_device_used", NULL);
  WEFT__NEED(index);
  weft_status rc = weft__device_choose(&device, NULL);
  if (rc == WEFT_OK) *index = device->info.index;
  return weft__leave(rc);
}
