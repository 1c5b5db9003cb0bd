# SPDX-License-Identifier: MIT
"""For check_output.py: the output of the example whose kernels are written with CUDA's words."""


def reduction_cuda_style(lines, options):
    n = options.get('-n', 2 ** 20)
    lines.like(rf'{n} numbers on .+')
    total = n * (n - 1) // 2 % 2 ** 32
    for name in ('one_word', 'shared_tree', 'shuffles', 'block_sum'):
        lines.like(rf'{name:12} sum {total:10} +[0-9.]+ us +[0-9.]+ GB/s')
    lines.exactly('All sums are right.')


EXAMPLES = [reduction_cuda_style]
