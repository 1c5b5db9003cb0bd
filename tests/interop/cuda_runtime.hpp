// SPDX-License-Identifier: MIT
/// The calls of CUDA's run time that the programs of cuda_programs.py make, on Weft: memory, copies, launches. Memory
/// gets its dtype at its first copy or launch, which are the first to know the pointer's type.
#ifndef CUDA_RUNTIME_HPP
#define CUDA_RUNTIME_HPP

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#include <weft/weft.h>

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {
  }
};
struct cudaDeviceProp {
  char name[256];
};
typedef int cudaError_t;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

namespace cuda_on_weft {

struct memory {
  size_t bytes;
  weft_array *array;
};
inline std::map<const void *, memory> &memories() {
  static std::map<const void *, memory> all;
  return all;
}
inline std::map<std::string, weft_kernel *> &kernels() {
  static std::map<std::string, weft_kernel *> all;
  return all;
}
inline weft_context *context() {
  weft_context *found = nullptr;
  WEFT_CHECK(weft_context_default(&found));
  return found;
}

inline weft_dtype dtype_of(const float *) {
  return WEFT_F32;
}
inline weft_dtype dtype_of(const double *) {
  return WEFT_F64;
}
inline weft_dtype dtype_of(const int *) {
  return WEFT_I32;
}
inline weft_dtype dtype_of(const unsigned *) {
  return WEFT_U32;
}

/// The array of a pointer, and the element it points to. Pointers to rows become pointers to elements.
template <typename Row>
weft_array *array_of(const Row *pointer_to_row, int64_t *element) {
  typedef std::remove_cv_t<std::remove_all_extents_t<Row>> T;
  const T *pointer = (const T *)pointer_to_row;
  auto found = memories().upper_bound(pointer);
  if (found == memories().begin() || (--found, pointer >= (const T *)found->first + found->second.bytes / sizeof(T))) {
    std::fprintf(stderr, "a pointer that is not cudaMalloc's\n");
    std::exit(1);
  }
  memory &m = found->second;
  if (!m.array) WEFT_CHECK(weft_empty(&m.array, context(), dtype_of(pointer), WEFT_SHAPE(m.bytes / sizeof(T))));
  *element = pointer - (const T *)found->first;
  return m.array;
}

template <typename T>
weft_arg argument(T *pointer) {
  int64_t element;
  weft_array *array = array_of(pointer, &element);
  if (element == 0) return WEFT_ARG(array);
  std::fprintf(stderr, "a kernel's argument points into an array\n");
  std::exit(1);
}
template <typename T>
weft_arg argument(T number) {
  return WEFT_ARG(number);
}

/// `kernel<<<grid, block>>>(arguments...)`. KERNEL_FILE has the program's kernels. CUDA refuses a grid of length 0 by a
/// status that these programs ignore, and rounds quotients of floats correctly: adi's results depend on it.
template <typename... Arguments>
void launch(const char *name, dim3 grid, dim3 block, Arguments... arguments) {
  weft_kernel *&kernel = kernels()[name];
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  if (!kernel)
    WEFT_CHECK(weft_kernel_create(&kernel, context(), .file = KERNEL_FILE, .name = name,
                                  .options = "-cl-fp32-correctly-rounded-divide-sqrt"));
  const weft_arg list[] = {WEFT_ARG(WEFT_DIM3(block.x, block.y, block.z)), argument(arguments)...};
  WEFT_CHECK((weft_launch)(kernel, WEFT_DIM3(grid.x, grid.y, grid.z), (int)(sizeof list / sizeof *list), list));
}

}  // namespace cuda_on_weft

template <typename T>
cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  *pointer = (T *)std::malloc(bytes); /* only for its addresses: kernels get the array */
  cuda_on_weft::memories()[*pointer] = {bytes, nullptr};
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaFree(T *pointer) {
  weft_array_release(&cuda_on_weft::memories()[pointer].array);
  cuda_on_weft::memories().erase(pointer);
  std::free((void *)pointer);
  return cudaSuccess;
}
/// Copies between host and device; a part of the array if `bytes` is less.
template <typename To, typename From>
cudaError_t cudaMemcpy(To *to, const From *from, size_t bytes, cudaMemcpyKind kind) {
  const bool is_out = kind == cudaMemcpyDeviceToHost;
  int64_t first;
  weft_array *part = nullptr, *host = nullptr;
  weft_array *whole = is_out ? cuda_on_weft::array_of(from, &first) : cuda_on_weft::array_of(to, &first);
  const weft_dtype dtype = weft_array_dtype(whole);
  const int64_t count = (int64_t)(bytes / weft_dtype_size_bytes(dtype));
  WEFT_CHECK(weft_slice(&part, whole, 0, first, first + count));
  if (is_out) {
    WEFT_CHECK(weft_to_host((void *)to, bytes, part));
  } else {
    WEFT_CHECK(weft_from_host(&host, cuda_on_weft::context(), dtype, WEFT_SHAPE(count), (const void *)from));
    WEFT_CHECK(weft_copy(&part, host));
  }
  weft_array_release(&part);
  weft_array_release(&host);
  return cudaSuccess;
}

inline cudaError_t cudaThreadSynchronize() {
  WEFT_CHECK(weft_context_wait(cuda_on_weft::context()));
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaThreadSynchronize();
}
inline cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  weft_device_info info;
  WEFT_CHECK(weft_context_get_device(&info, cuda_on_weft::context()));
  std::snprintf(properties->name, sizeof properties->name, "%s", info.name);
  return cudaSuccess;
}

#endif
