// SPDX-License-Identifier: MIT
// Each thread computes a pixel of the turned picture: its place in the source, where the sampler interpolates. `across`
// and `down` are the step in the source for one pixel to the right. Coordinates are normalized, from 0 to 1.
kernel void turn(read_only image2d_t from, sampler_t how, write_only image2d_t to, float across, float down) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  const float2 size = convert_float2(get_image_dim(from));
  const float2 d = convert_float2(at) + 0.5f - convert_float2(get_image_dim(to)) / 2;
  const float2 place = size / 2 + (float2)(d.x * across - d.y * down, d.x * down + d.y * across);
  write_imagef(to, at, read_imagef(from, how, place / size));
}
