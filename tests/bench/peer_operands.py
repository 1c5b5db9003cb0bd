# SPDX-License-Identifier: MIT
"""Operands of the peers' calls (peer_rows.py), by the names that `weft bench wide` has for its own
(src/cli/bench/bench_wide.h), and the readers of these tables. Columns are as in peer_rows.py."""
import re

# Made by NumPy and copied to the other peers, so that all have the same numbers.
OPERANDS = """
a | rng.random(n, dtype="f4")
b | rng.random(n, dtype="f4")
same | a.copy()
x | rng.standard_normal(n, dtype="f4")
g | 1 + 7 * rng.random(n, dtype="f4")
d | a.astype("f8")
e | b.astype("f8")
h | a.astype("f2")
c | a.astype("c8")
nans | np.where(rare, np.float32(np.nan), b)
nan_rich | np.where(mask, np.float32(np.nan), b)
equal | np.full(n, 0.5, "f4")
mask | a > 0.5
rare | a > 0.99
unset | np.zeros(n, bool)
u8 | rng.integers(0, 256, n, dtype="u1")
u16 | rng.integers(0, 65536, n, dtype="u2")
u32 | rng.integers(0, 1 << 32, n, dtype="u4")
i32 | rng.integers(0, 1000000, n, dtype="i4")
k32 | rng.integers(1, 1000, n, dtype="i4")
bits | rng.integers(0, 16, n, dtype="i4")
i64 | rng.integers(-1000000000, 1000000000, n)
k64 | rng.integers(1, 1000, n)
small | rng.random(1000, dtype="f4")
kernel | rng.random(9, dtype="f4")
window | rng.random((5, 5), dtype="f4")
poly | rng.random(8, dtype="f4")
table | rng.integers(0, 1000000, n // 16, dtype="i4")
row | rng.random(s, dtype="f4")
column | rng.random((rows, 1), dtype="f4")
packed | np.packbits(mask)
ascending_1000 | np.sort(small)
bins | np.zeros(1 << 20, "f4")
keys | rng.integers(0, 1 << 20, n)
groups | rng.integers(0, 1000, n, dtype="i4")
choice | rng.integers(0, 2, n, dtype="i4")
offsets | np.arange(0, n + 1, n // 1000)
index | rng.integers(0, n, n)
row_index | rng.integers(0, rows, rows)
row_of | rng.integers(0, rows, n)
column_of | rng.integers(0, s, n)
target | np.zeros(n, "f4")
target2 | np.zeros(n, "f4")
places | ((s - 1) * rng.random((2, rows, s))).astype("f4")
affine | (0.9 * np.eye(2) + 0.1).astype("f4")
covariance | np.eye(2, dtype="f4")
mean | np.zeros(2, "f4")
weights | 1 + rng.random(4, dtype="f4")
sq_i8 | rng.integers(-8, 8, (s, s), dtype="i1")
full | rng.random((side, side), dtype="f4") + side * np.eye(side, dtype="f4")
spd | full @ full.T
right | rng.random((side, 4), dtype="f4")
full_small | rng.random((less, less), dtype="f4") + less * np.eye(less, dtype="f4")
spd_small | full_small @ full_small.T
tall | rng.random((4 * less, less), dtype="f4")
tall_right | rng.random(4 * less, dtype="f4")
full32 | rng.random((n // 4096, 32, 32), dtype="f4") + 32 * np.eye(32, dtype="f4")
spd32 | full32 @ full32.swapaxes(1, 2)
right32 | rng.random((n // 4096, 32, 4), dtype="f4")
numbers | np.arange(n // 16 * 16)
stored_in | (numbers % 16 * (n // 256) + rng.integers(0, n // 256, n // 16 * 16)).astype("i4")
stored_at | (numbers // 16).astype("i4")
starts | np.arange(0, n // 16 * 16 + 1, 16, dtype="i4")
near | (np.minimum(np.maximum(numbers // 16 - 8, 0), n // 16 - 16) + numbers % 16).astype("i4")
mostly_zero | np.where(a < 0.01, b, 0)[:rows * s].reshape(rows, s)
vector | rng.random(n // 16, dtype="f4")
"""

# Made by each peer itself: views, dtypes of its own, objects, what takes NumPy long.
DERIVED = """
m | a[:rows * s].reshape(rows, s) |
m2 | b[:rows * s].reshape(rows, s) |
md | d[:rows * s].reshape(rows, s) |
mc | c[:rows * s].reshape(rows, s) |
order | np.argsort(m, 1) | m.argsort(1)
ascending | np.sort(a) | a.sort()[0]
ascending2 | np.sort(b) | b.sort()[0]
blobs | mask[:rows * s].reshape(rows, s) |
target_m | target[:rows * s].reshape(rows, s) |
turned | m.T |
beside_turned | b[:rows * s].reshape(s, rows) |
turned_f16 | h[:rows * s].reshape(rows, s).T |
turned_u8 | u8[:rows * s].reshape(rows, s).T |
cube | b[:n // q // q * q * q].reshape(q, q, -1) |
cube_c64 | c[:n // q // q * q * q].reshape(q, q, -1) |
cube_021 | cube.transpose(0, 2, 1) | cube.permute(0, 2, 1)
cube_210 | cube.transpose(2, 1, 0) | cube.permute(2, 1, 0)
cube_102 | cube.transpose(1, 0, 2) | cube.permute(1, 0, 2)
cube_120 | cube.transpose(1, 2, 0) | cube.permute(1, 2, 0)
third | a[::3] |
reverse | a[::-1] | -
rows32 | a[:n // 32 * 32].reshape(-1, 32) |
rows1024 | a[:n // 1024 * 1024].reshape(-1, 1024) |
rows65536 | a[:n // 65536 * 65536].reshape(-1, 65536) |
three | a[:n // 3 * 3].reshape(-1, 3) |
three2 | b[:n // 3 * 3].reshape(-1, 3) |
points | b[:n // 2 * 2].reshape(-1, 2) |
few_rows | a[:n // 8 * 8].reshape(8, -1) |
mx | x[:rows * s].reshape(rows, s) |
narrow | x.reshape(n, 1) |
long_row | x.reshape(1, n) |
two_rows | x[:n // 2 * 2].reshape(2, -1) |
pairs | x[:n // 2 * 2].reshape(-1, 2) |
fours | x[:n // 4 * 4].reshape(-1, 4) |
four_rows | x[:n // 4 * 4].reshape(4, -1) |
square4 | x[:16].reshape(4, 4) |
eight | x[:n // 128 * 128].reshape(2, 2, 2, 2, 2, 2, 2, -1) |
eight_turned | eight.T | eight.permute(7, 6, 5, 4, 3, 2, 1, 0)
halves | x[::2] |
row_steps | mx[:, ::2] |
column_steps | mx[::2] |
stretched_down | np.broadcast_to(row, (rows, s)) | t.broadcast_to(row, (rows, s))
stretched_across | np.broadcast_to(column, (rows, s)) | t.broadcast_to(column, (rows, s))
descending | np.sort(a)[::-1].copy() | a.sort(descending=True)[0]
few | bits.astype("f4") | bits.float()
nan_rows | nan_rich[:rows * s].reshape(rows, s) |
sq | a[:s * s].reshape(s, s) |
sq2 | b[:s * s].reshape(s, s) |
sq_part | a[:(s // 5) ** 2].reshape(s // 5, s // 5) |
sq_f16 | sq.astype("f2") | sq.half()
sq_bf16 | - | sq.bfloat16()
sq_f64 | sq.astype("f8") | sq.double()
sq_c64 | sq.astype("c8") | sq.cfloat()
row_f16 | row.astype("f2") | row.half()
many16 | a[:n // 256 * 256].reshape(-1, 16, 16) |
many64 | a[:n // 4096 * 4096].reshape(-1, 64, 64) |
many256 | a[:n // 65536 * 65536].reshape(-1, 256, 256) |
fft256 | c[:n // 256 * 256].reshape(-1, 256) |
fft4096 | c[:n // 4096 * 4096].reshape(-1, 4096) |
fft65536 | c[:n // 65536 * 65536].reshape(-1, 65536) |
factors | linalg.lu_factor(full) | t.linalg.lu_factor(full)
values | x[:n // 16 * 16] |
stored_shape | (n // 16, n // 16) |
csr | sparse.csr_matrix((values, stored_in, starts), stored_shape) | \
  t.sparse_csr_tensor(starts, stored_in, values, stored_shape)
band | sparse.csr_matrix((values, near, starts), stored_shape) | \
  t.sparse_csr_tensor(starts, near, values, stored_shape)
csr_m | sparse.csr_matrix(mostly_zero) | mostly_zero.to_sparse_csr()
one | np.ones(1, "f4") | t.ones(1)
"""


def lines(table):
    """The table's lines, each as three columns: a name, NumPy's text, PyTorch's text."""
    for line in table.replace("\\\n", " ").strip().split("\n"):
        columns = [column.strip() for column in f"{line} ".split(" | ")]
        columns += [""] * (3 - len(columns))
        yield columns[0], columns[1], columns[2] or columns[1]


def calls(table, is_torch):
    """Texts by names, without those that are "-"."""
    texts = {name: torch if is_torch else numpy for name, numpy, torch in lines(table)}
    return {name: text for name, text in texts.items() if text != "-"}


def names_in(text):
    """The names that a call uses, without those behind a dot."""
    return re.findall(r"(?<![\w.])[a-z_]\w*", text)
