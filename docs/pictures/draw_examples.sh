#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of the examples anew: docs/pictures/draw_examples.sh BUILD. The galaxies take a minute.
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
size='--width 300 --height 200'
"$build/examples/mandelbrot" $size --samples 3 --steps 1000 --png mandelbrot.png
"$build/examples/heat" $size --steps 50 --png heat.png
"$build/examples/life" --width 75 --height 50 --zoom 4 --generations 560 --png life.png
"$build/examples/image_filters" $size --passes 10 --png image_filters.png
"$build/examples/texture" $size --png texture.png
"$build/examples/n_body" $size --stars 3000 --steps 180 --png n_body.png
