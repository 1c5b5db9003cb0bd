// SPDX-License-Identifier: MIT
// Finds the positions of many values in a long ordered array, or whether they are in it, on GPUs. A search by halves
// reads a sector of the memory for each step but the last three. Here a tree has eight elements in a node, which is one
// sector (elements of 8 bytes: two), and a search reads one node for three steps. Its nodes near the top are few and
// stay in the caches; the top level is in local memory.
//
// Level k has the last of each 8^k elements of the ordered array, which is level 0; what is left of 8^k elements has no
// element there. Levels are filled up to a whole node with the array's last element.
//
// The text in front defines the macros of search/result.clh, WEFT_BLOCK, and WEFT_U, values that a thread searches for
// at once.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DSEARCH_IN=1
#ifdef WEFT_LINT
#include "search/lint.clh"
#endif
#include "search/result.clh"

#define JOINED(a, b) a##b
#define NODE_OF(type) JOINED(type, 8)
typedef NODE_OF(T) weft_node;

static inline ulong weft_level_length(const weft__tree_args *a, uint level) {
  return a->m >> 3 * level;
}

// Makes the tree.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_tree_make(const weft__tree_args a, __global uchar *tree_bytes, __global const uchar *ordered_from) {
  __global T *tree = (__global T *)(tree_bytes + a.tree);
  __global const T *ordered = (__global const T *)(ordered_from + a.ordered);
  const ulong i = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (i < weft_level_length(&a, 1)) {
    const T last = ordered[i * 8 + 7];
    ulong count = i + 1;
    tree[a.level_at[1] + i] = last;
    for (uint level = 2; level <= a.top && count % 8 == 0; level++) {
      count /= 8;
      tree[a.level_at[level] + count - 1] = last;
    }
  }
  if (i < 8)
    for (uint level = 1; level <= a.top; level++) {
      const ulong at = weft_level_length(&a, level) + i;
      if (at < (weft_level_length(&a, level) + 7) / 8 * 8) tree[a.level_at[level] + at] = ordered[a.m - 1];
    }
}

// How many elements of a node are before the value. The last one is not, or the node above would have counted it.
static inline uint weft_count_before(weft_node node, weft_key value) {
  return IS_BEFORE(KEY(node.s0), value) + IS_BEFORE(KEY(node.s1), value) + IS_BEFORE(KEY(node.s2), value) +
         IS_BEFORE(KEY(node.s3), value) + IS_BEFORE(KEY(node.s4), value) + IS_BEFORE(KEY(node.s5), value) +
         IS_BEFORE(KEY(node.s6), value);
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_tree_search(const weft__tree_args a, __global uchar *y, __global const uchar *ordered_from,
                      __global const uchar *values_from, __global const uchar *tree_bytes) {
  __local T top[WEFT__TREE_TOP];
  __global PLACE *to = (__global PLACE *)(y + a.to);
  __global const T *ordered = (__global const T *)(ordered_from + a.ordered),
                   *values = (__global const T *)(values_from + a.values),
                   *tree = (__global const T *)(tree_bytes + a.tree);
  const uint tops = (uint)weft_level_length(&a, a.top);
  const ulong step = (ulong)get_num_groups(0) * (WEFT_BLOCK * WEFT_U);
  for (uint k = (uint)get_local_id(0); k < tops; k += WEFT_BLOCK) top[k] = tree[a.level_at[a.top] + k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (ulong i = (ulong)get_group_id(0) * (WEFT_BLOCK * WEFT_U) + get_local_id(0); i < a.n; i += step) {
    weft_key value[WEFT_U];
    ulong place[WEFT_U]; // elements before the value, of the level
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++) {
      value[u] = KEY(values[min(i + u * WEFT_BLOCK, (ulong)a.n - 1)]);
      place[u] = 0;
    }
    for (uint left = tops; left > 0;) {
      const uint part = (left + 1) / 2;
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++) {
        const uint at = (uint)place[u] + part - 1;
        if (at < tops && IS_BEFORE(KEY(top[at]), value[u])) place[u] += part;
      }
      left -= part;
    }
    for (uint level = a.top - 1; level > 0; level--) {
      __global const weft_node *nodes = (__global const weft_node *)(tree + a.level_at[level]);
      const ulong length = weft_level_length(&a, level), last = (length + 7) / 8 - 1;
      weft_node node[WEFT_U];
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++) node[u] = nodes[min(place[u], last)];
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++)
        place[u] = min(place[u] * 8 + weft_count_before(node[u], value[u]), length);
    }
    {
      __global const weft_node *nodes = (__global const weft_node *)ordered;
      const ulong whole = a.m / 8;
      weft_node node[WEFT_U];
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++) node[u] = nodes[min(place[u], whole - 1)];
#pragma unroll
      for (uint u = 0; u < WEFT_U; u++) {
        if (place[u] < whole) {
          place[u] = place[u] * 8 + weft_count_before(node[u], value[u]);
        } else { // the elements behind the last node
          place[u] *= 8;
          while (place[u] < a.m && IS_BEFORE(KEY(ordered[place[u]]), value[u])) place[u]++;
        }
      }
    }
#pragma unroll
    for (uint u = 0; u < WEFT_U; u++)
      if (i + u * WEFT_BLOCK < a.n)
        to[i + u * WEFT_BLOCK] = weft_answer(place[u], value[u], ordered, a.m, a.is_inverted);
  }
}
