// SPDX-License-Identifier: MIT
#include <CL/cl.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { WIDTH = 8, HEIGHT = 4, N = WIDTH * HEIGHT };

static const char source[] =
    "kernel void twice(read_only image2d_t from, sampler_t how, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, 2 * read_imagef(from, how, at));\n"
    "}\n";

/// A foreign image, by calls that never fail here.
static cl_mem foreign_image(const weft_context *context) {
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 1};
  fault_own(true);
  cl_mem image = clCreateImage(weft_context_cl_context(context), CL_MEM_READ_WRITE, &format, &desc, NULL, NULL);
  fault_own(false);
  return image;
}

/// Makes images and a sampler, lets a kernel read one and write another, and reads back: an image keeps what it holds
/// when a call on it fails before the copy.
int program_images(int argc, char **argv) {
  int status = 0;
  float host[N], pixels[2 * 4] = {1, 2, 3, 4, 5, 6, 7, 8};
  weft_device_info device;
  weft_image_info info;
  weft_context *context = NULL;
  weft_kernel *twice = NULL;
  weft_sampler *sampler = NULL, *kept = NULL;
  weft_image *from = NULL, *to = NULL, *adopted = NULL, *again = NULL;
  weft_array *x = NULL, *view = NULL, *y = NULL;
  cl_mem mem = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  TRY(weft_context_get_device(&device, context));
  if (!device.has_images) goto done;
  MAKE(&y, weft_arange(&y, context, WEFT_F32, 0, 2 * N, 1));
  MAKE(&x, weft_reshape(&x, y, WEFT_SHAPE(2 * HEIGHT, WIDTH)));
  MAKE(&view, weft_slice(&view, x, 0, 0, WEFT_END, .step = 2));
  MAKE(&from, weft_image_from_array(&from, view));
  MAKE(&to, weft_image_create(&to, context, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  MAKE(&sampler, weft_sampler_create(&sampler, context, .address = WEFT_ADDRESS_CLAMP));
  MAKE(&twice, weft_kernel_create(&twice, context, .source = source));
  TRY(weft_launch(twice, WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), from, sampler, to));
  TRY(weft_image_read(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)), to));
  KEPT(host[0] == 0 && host[1] == 2 && host[WIDTH] == 4 * WIDTH);
  TRY(weft_image_write(to, view));
  weft_array_release(&y);
  MAKE(&y, weft_image_read(&y, to));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[1] == 1 && host[WIDTH] == 2 * WIDTH);
  TRY(weft_image_write(to, WEFT_HOST(pixels, WEFT_F32, WEFT_SHAPE(2, 4)), .origin = WEFT_SHAPE(1, 2)));
  TRY(weft_image_read(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 1)), to, .origin = WEFT_SHAPE(1, 5),
                      .shape = WEFT_SHAPE(2, 1)));
  KEPT(host[0] == 4 && host[1] == 8);
  mem = foreign_image(context);
  KEPT(mem != NULL);
  MAKE(&adopted, weft_image_adopt(&adopted, context, mem));
  TRY(weft_image_get(&info, adopted));
  KEPT(info.channels == 4 && weft_image_cl_mem(adopted) == mem);
  TRY(weft_image_write(adopted, WEFT_HOST(pixels, WEFT_F32, WEFT_SHAPE(1, 2, 4))));
  TRY(weft_image_read(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(1, 2, 4)), adopted));
  KEPT(host[0] == 1 && host[7] == 8);
  again = weft_image_retain(adopted);
  kept = weft_sampler_retain(sampler);
  FAILS(WEFT_ERROR_SHAPE, weft_image_write(again, view));
  FAILS(WEFT_ERROR_KERNEL_ARGUMENT, weft_launch(twice, WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), from, sampler, from));

done:
  fault_leave();
  weft_release(&again, &kept, &adopted, &from, &to, &sampler, &twice, &x, &view, &y);
  fault_own(true);
  if (mem != NULL) clReleaseMemObject(mem);
  fault_own(false);
  weft_context_release(&context);
  return status;
}
