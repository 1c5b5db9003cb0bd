// SPDX-License-Identifier: MIT
kernel void empty(void) {
}
