// SPDX-License-Identifier: MIT
#include "weft/prelude.clh"

// The number of steps of z = z * z + c, from z = 0, after which z is farther than 16 from 0, with a fraction that
// varies smoothly with c; 0 if z stays within 16 for `most` steps.
float escape(float x, float y, uint most) {
  float a = x, b = y;
  for (uint k = 1; k <= most; k++) {
    float aa = a * a, bb = b * b;
    if (aa + bb > 256.0f) return (float)k + 2.0f - log2(0.5f * log2(aa + bb));
    b = 2.0f * a * b + y;
    a = aa - bb + x;
  }
  return 0.0f;
}

// Colours follow each other in waves, of which red has the longest.
float3 colour(float steps) {
  float t = 0.6f * sqrt(steps);
  return 0.5f - 0.5f * cos(t * (float3)(1.0f, 1.13f, 1.29f) + (float3)(5.4f, 5.9f, 0.4f));
}

// A thread colours one pixel by the mean of samples x samples points of it, and computes how much of it is inside the
// set.
kernel void mandelbrot(global uchar *rgb, global float *inside, float left, float top, float pixel, uint width,
                       uint height, uint most, uint samples) {
  uint column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float3 sum = 0;
  float hits = 0, count = (float)(samples * samples);
  for (uint k = 0; k < samples * samples; k++) {
    float x = left + pixel * ((float)column + ((float)(k % samples) + 0.5f) / (float)samples);
    float y = top - pixel * ((float)row + ((float)(k / samples) + 0.5f) / (float)samples);
    float steps = escape(x, y, most);
    if (steps > 0.0f)
      sum += colour(steps);
    else
      hits += 1.0f;
  }
  size_t at = (size_t)row * width + column;
  inside[at] = hits / count;
  vstore3(convert_uchar3_sat_rte(255.0f / count * sum), at, rgb);
}
