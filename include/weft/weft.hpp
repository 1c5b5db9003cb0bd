// SPDX-License-Identifier: MIT
/// C++17 objects for Weft's handles: they release themselves, move, and share by copy. The rest is Weft's C interface,
/// whose macros take these objects in place of handles:
///
///     weft::context context;
///     weft::array x, y;
///     weft::check(weft_context_create(context.out()));
///     weft::check(weft_ones(x.out(), context, WEFT_F32, WEFT_SHAPE(1000)));
///     weft::check(weft_add(y.out(), x, 2.0f));                                throws weft::error
///     if (auto failure = weft::attempt(weft_add(y.out(), x, y))) report(failure.what());    a value instead
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_WEFT_HPP
#define WEFT_WEFT_HPP

#include <stdexcept>
#include <string>
#include <utility>

#include <weft/weft.h>

namespace weft {

/// A call's status with a copy of Weft's explanation; true if the call failed.
class failure {
 public:
  /// `status` must be the result of this thread's last call.
  explicit failure(weft_status status) : status_(status) {
    if (status_ == WEFT_OK) return;
    const weft_error *last = weft_error_last();
    message_ = last->message;
    function_ = last->function;
    argument_ = last->argument;
    site_ = last->site;
    detail_ = last->detail;
  }

  /// Whether the call failed.
  explicit operator bool() const noexcept {
    return status_ != WEFT_OK;
  }
  /// The call's status.
  weft_status status() const noexcept {
    return status_;
  }
  /// The message; "" for a success.
  const std::string &what() const noexcept {
    return message_;
  }
  /// The public function that failed.
  const std::string &function() const noexcept {
    return function_;
  }
  /// The argument that was wrong; "" if none was.
  const std::string &argument() const noexcept {
    return argument_;
  }
  /// The caller's "file:line".
  const std::string &site() const noexcept {
    return site_;
  }
  /// Longer details: the build log, or the expression with a mark.
  const std::string &detail() const noexcept {
    return detail_;
  }

 private:
  weft_status status_;
  std::string message_, function_, argument_, site_, detail_;
};

/// The exception that weft::check throws.
class error : public std::runtime_error {
 public:
  /// An exception for this failure.
  explicit error(failure why) : std::runtime_error(why.what()), why_(std::move(why)) {
  }
  /// The failure, with all its texts.
  const failure &why() const noexcept {
    return why_;
  }
  /// The failure's status.
  weft_status status() const noexcept {
    return why_.status();
  }

 private:
  failure why_;
};

/// Returns the result of a call as a value.
[[nodiscard]] inline failure attempt(weft_status status) {
  return failure(status);
}

/// Throws weft::error if the call failed.
inline void check(weft_status status) {
  if (status != WEFT_OK) throw error(failure(status));
}

/// Owns one reference of a handle. Pass the object to functions that take the handle, and .out() to functions that make
/// or fill one.
template <typename T, T *(*Retain)(T *), void (*Release)(T **)>
class handle {
 public:
  /// No object.
  handle() noexcept = default;
  /// Takes over the caller's reference.
  explicit handle(T *reference) noexcept : handle_(reference) {
  }
  /// A second reference of the same object.
  handle(const handle &other) : handle_(Retain(other.handle_)) {
  }
  /// Takes over other's reference.
  handle(handle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
  }
  /// Releases the old reference and takes over or shares other's.
  handle &operator=(handle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  /// Releases the reference.
  ~handle() {
    Release(&handle_);
  }

  /// The handle, for functions that take it.
  operator T *() const noexcept {
    return handle_;
  }
  /// The handle; NULL without an object.
  T *get() const noexcept {
    return handle_;
  }
  /// Whether there is an object.
  explicit operator bool() const noexcept {
    return handle_ != nullptr;
  }
  /// The address for a result: a function fills the array if there is one, else it makes a new one.
  T **out() noexcept {
    return &handle_;
  }
  /// The address for a new object; the old one is released first.
  T **renew() noexcept {
    Release(&handle_);
    return &handle_;
  }
  /// Gives the reference to the caller without releasing it.
  [[nodiscard]] T *detach() noexcept {
    return std::exchange(handle_, nullptr);
  }
  /// Releases the reference.
  void reset() noexcept {
    Release(&handle_);
  }

 private:
  T *handle_ = nullptr;
};

/// The handles of Weft as objects that release themselves.
using array = handle<weft_array, weft_array_retain, weft_array_release>;
using context = handle<weft_context, weft_context_retain, weft_context_release>;
using kernel = handle<weft_kernel, weft_kernel_retain, weft_kernel_release>;
using stream = handle<weft_stream, weft_stream_retain, weft_stream_release>;
using event = handle<weft_event, weft_event_retain, weft_event_release>;
using ufunc = handle<weft_ufunc, weft_ufunc_retain, weft_ufunc_release>;
using rng = handle<weft_rng, weft_rng_retain, weft_rng_release>;
using csr = handle<weft_csr, weft_csr_retain, weft_csr_release>;
using recording = handle<weft_recording, weft_recording_retain, weft_recording_release>;
using image = handle<weft_image, weft_image_retain, weft_image_release>;
using sampler = handle<weft_sampler, weft_sampler_retain, weft_sampler_release>;

}  // namespace weft

#endif
