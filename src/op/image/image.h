// SPDX-License-Identifier: MIT
/// Shared by the files of images.
#ifndef WEFT_OP_IMAGE_IMAGE_H
#define WEFT_OP_IMAGE_IMAGE_H

#include <weft/image.h>

#include "call/call.h"
#include "context/objects.h"

/// Checks that the device of the context has images. Errors: UNSUPPORTED.
weft_status weft__image_check_device(const weft_context *context);

/// Checks a live image whose context can be used. Errors: HANDLE, CLOSED, FORKED, LOST.
weft_status weft__image_check(const weft_image *image, const char *argument);

/// Makes an image with indeterminate content. Errors: as weft_image_create.
weft_status weft__image_create(weft_image **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const weft_image_params *params);

#endif
