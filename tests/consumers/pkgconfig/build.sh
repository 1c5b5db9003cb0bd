#!/bin/sh
# SPDX-License-Identifier: MIT
set -e
cc -std=c11 program.c $(pkg-config --cflags --libs weft) -o program
