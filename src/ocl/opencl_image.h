// SPDX-License-Identifier: MIT
/// The functions of images and samplers in OpenCL's table. ocl/driver.h has their comments.
#ifndef WEFT__OCL_OPENCL_IMAGE_H
#define WEFT__OCL_OPENCL_IMAGE_H

#include "ocl/driver.h"

/// Reads whether the device has images, and their limits.
void weft__opencl_image_facts(weft__device_facts *facts, weft__cl_device device);

int weft__opencl_image_kind(const char **kind, weft__cl_mem image);
int weft__opencl_image_supported(bool *is, weft__cl_context context, const weft__image_form *form);
int weft__opencl_image_create(weft__cl_mem *out, weft__cl_context context, const weft__image_form *form);
int weft__opencl_image_form(weft__image_form *form, weft__cl_mem image);
int weft__opencl_sampler_create(weft__cl_sampler *out, weft__cl_context context, const weft__sampler_form *form);
int weft__opencl_sampler_context(weft__cl_context *context, weft__cl_sampler sampler);

/// Enqueues COPY_TO_IMAGE or COPY_FROM_IMAGE.
int weft__opencl_image_copy(const weft__command *command);

#endif
