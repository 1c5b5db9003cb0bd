# SPDX-License-Identifier: MIT
"""The peers' calls for the rows of `weft bench wide`, by the same names. A call that the peers lack is "-".

A line is: name | NumPy, SciPy and CuPy | PyTorch. An empty third column: the text of the second is PyTorch's too. np is
NumPy or CuPy, t PyTorch, F torch.nn.functional; special, ndimage, linalg, fft, signal, sparse, stats and integrate are
SciPy's modules or CuPy's forms of them; rng draws numbers; peer_operands.py has the operands.
"""

ROWS = """
add | g + b |
subtract | g - b |
multiply | g * b |
divide | g / b |
floor_divide | g // b |
remainder | g % b |
fmod | np.fmod(g, b) | t.fmod(g, b)
pow | g ** b |
divmod | np.divmod(g, b) | (g // b, g % b)
negative | -x |
positive | +x | x.clone()
abs | np.abs(x) | x.abs()
fabs | np.fabs(x) | x.abs()
sign | np.sign(x) | t.sign(x)
square | np.square(x) | t.square(x)
reciprocal | np.reciprocal(g) | t.reciprocal(g)
fma | a * b + x | t.addcmul(x, a, b)
mad | a * b + x | t.addcmul(x, a, b)
mul_add | a * b + x * g | t.addcmul(x * g, a, b)
gcd | np.gcd(i32, k32) | t.gcd(i32, k32)
lcm | np.lcm(i32, k32) | t.lcm(i32, k32)
add_scalar | a + 2 |
add_1000 | small + small |
add_row | m2 + row |
add_column | m2 + column |
add_turned | beside_turned + turned |
add_u8 | u8 + u8 |
add_i64 | i64 + k64 |
add_f16 | h + h |
add_f64 | d + e |
multiply_scalar | a * 2 |
multiply_c64 | c * c |
divide_c64 | c / c |
floor_divide_i32 | i32 // 7 |
remainder_i64 | i64 % k64 |
pow_scalar | g ** 2.5 |
pow_f64 | d ** e |
abs_c64 | np.abs(c) | c.abs()
equal | a == b |
not_equal | a != b |
less | a < b |
less_equal | a <= b |
greater | a > b |
greater_equal | a >= b |
logical_and | np.logical_and(mask, rare) | t.logical_and(mask, rare)
logical_or | np.logical_or(mask, rare) | t.logical_or(mask, rare)
logical_xor | np.logical_xor(mask, rare) | t.logical_xor(mask, rare)
logical_not | np.logical_not(mask) | t.logical_not(mask)
bitwise_and | np.bitwise_and(i32, k32) | t.bitwise_and(i32, k32)
bitwise_or | np.bitwise_or(i32, k32) | t.bitwise_or(i32, k32)
bitwise_xor | np.bitwise_xor(i32, k32) | t.bitwise_xor(i32, k32)
invert | ~i32 |
bitwise_count | np.bitwise_count(i32) | -
left_shift | i32 << bits |
right_shift | i32 >> bits |
where | np.where(mask, a, b) | t.where(mask, a, b)
clip | np.clip(a, 0.25, 0.75) | a.clamp(0.25, 0.75)
maximum | np.maximum(x, b) | t.maximum(x, b)
minimum | np.minimum(x, b) | t.minimum(x, b)
fmax | np.fmax(x, b) | t.fmax(x, b)
fmin | np.fmin(x, b) | t.fmin(x, b)
maxmag | - | -
minmag | - | -
fdim | np.maximum(x - b, 0) | F.relu(x - b)
heaviside | np.heaviside(x, b) | t.heaviside(x, b)
isnan | np.isnan(x) | t.isnan(x)
isinf | np.isinf(x) | t.isinf(x)
isposinf | np.isposinf(x) | t.isposinf(x)
isneginf | np.isneginf(x) | t.isneginf(x)
isfinite | np.isfinite(x) | t.isfinite(x)
isnormal | - | -
signbit | np.signbit(x) | t.signbit(x)
spacing | np.spacing(x) | -
copysign | np.copysign(a, x) | t.copysign(a, x)
nextafter | np.nextafter(a, x) | t.nextafter(a, x)
ldexp | np.ldexp(x, bits) | t.ldexp(x, bits)
frexp | np.frexp(x) | t.frexp(x)
modf | np.modf(x) | -
fract | - | -
ilogb | - | -
logb | - | -
floor | np.floor(x) | t.floor(x)
ceil | np.ceil(x) | t.ceil(x)
trunc | np.trunc(x) | t.trunc(x)
rint | np.rint(x) | t.round(x)
round | - | -
sqrt | np.sqrt(g) | t.sqrt(g)
rsqrt | 1 / np.sqrt(g) | t.rsqrt(g)
cbrt | np.cbrt(g) | -
hypot | np.hypot(a, b) | t.hypot(a, b)
exp | np.exp(x) | t.exp(x)
exp2 | np.exp2(x) | t.exp2(x)
exp10 | special.exp10(x) | 10 ** x
expm1 | np.expm1(x) | t.expm1(x)
log | np.log(g) | t.log(g)
log2 | np.log2(g) | t.log2(g)
log10 | np.log10(g) | t.log10(g)
log1p | np.log1p(g) | t.log1p(g)
exp_f64 | np.exp(d) | t.exp(d)
log_f64 | np.log(d) | t.log(d)
exp_c64 | np.exp(c) | t.exp(c)
logaddexp | np.logaddexp(x, b) | t.logaddexp(x, b)
logaddexp2 | np.logaddexp2(x, b) | t.logaddexp2(x, b)
powr | g ** x |
pown | - | g ** k32
rootn | - | -
sin | np.sin(x) | t.sin(x)
cos | np.cos(x) | t.cos(x)
tan | np.tan(x) | t.tan(x)
sincos | (np.sin(x), np.cos(x)) | (t.sin(x), t.cos(x))
asin | np.arcsin(a) | t.asin(a)
acos | np.arccos(a) | t.acos(a)
atan | np.arctan(a) | t.atan(a)
atan2 | np.arctan2(x, b) | t.atan2(x, b)
sinpi | - | -
cospi | - | -
tanpi | - | -
asinpi | - | -
acospi | - | -
atanpi | - | -
atan2pi | - | -
sin_f64 | np.sin(d) | t.sin(d)
tanh_f64 | np.tanh(d) | t.tanh(d)
sinh | np.sinh(x) | t.sinh(x)
cosh | np.cosh(x) | t.cosh(x)
tanh | np.tanh(x) | t.tanh(x)
asinh | np.arcsinh(x) | t.asinh(x)
acosh | np.arccosh(g) | t.acosh(g)
atanh | np.arctanh(a) | t.atanh(a)
degrees | np.degrees(x) | t.rad2deg(x)
radians | np.radians(x) | t.deg2rad(x)
sinc | np.sinc(x) | t.sinc(x)
erf | special.erf(x) | t.erf(x)
erfc | special.erfc(x) | t.erfc(x)
tgamma | special.gamma(g) | -
lgamma | special.gammaln(g) | t.lgamma(g)
lgamma_r | (special.gammaln(g), special.gammasgn(g)) | -
ndtr | special.ndtr(x) | t.special.ndtr(x)
expit | special.expit(x) | t.sigmoid(x)
logit | special.logit(a) | t.logit(a)
softplus | np.logaddexp(x, 0) | F.softplus(x)
silu | x * special.expit(x) | F.silu(x)
gelu | x * special.ndtr(x) | F.gelu(x)
xlogy | special.xlogy(a, g) | t.xlogy(a, g)
erfinv | special.erfinv(a) | t.erfinv(a)
erfcinv | special.erfcinv(a) | -
ndtri | special.ndtri(a) | t.special.ndtri(a)
digamma | special.psi(g) | t.digamma(g)
i0 | special.i0(g) | t.special.i0(g)
i0e | special.i0e(g) | t.special.i0e(g)
i1 | special.i1(g) | t.special.i1(g)
i1e | special.i1e(g) | t.special.i1e(g)
k0 | special.k0(g) | t.special.modified_bessel_k0(g)
k1 | special.k1(g) | t.special.modified_bessel_k1(g)
j0 | special.j0(g) | t.special.bessel_j0(g)
j1 | special.j1(g) | t.special.bessel_j1(g)
jn | special.jn(bits, g) | -
y0 | special.y0(g) | t.special.bessel_y0(g)
y1 | special.y1(g) | t.special.bessel_y1(g)
gammainc | special.gammainc(g, a) | t.special.gammainc(g, a)
gammaincc | special.gammaincc(g, a) | t.special.gammaincc(g, a)
beta_function | special.beta(g, a) | -
betaln | special.betaln(g, a) | -
zeta | special.zeta(g, g) | t.special.zeta(g, g)
ieee_remainder | - | -
remquo | - | -
conj | np.conj(c) | t.conj_physical(c)
real | c.real.copy() | c.real.clone()
imag | c.imag.copy() | c.imag.clone()
angle | np.angle(c) | t.angle(c)
eval | fused(a, b) | t.exp(a) * b + a
eval_rows | special.softmax(m, 1) | t.softmax(m, 1)
eval_all | (a * a - b * b, 2 * a * b) |
ufunc_call | fused(a, b) | t.exp(a) * b + a
ufunc_apply | a + b |
stencil | ndimage.laplace(m, mode="constant") | -
isclose | np.isclose(a, b) | t.isclose(a, b)
allclose | bool(np.allclose(a, same)) | t.allclose(a, same)
array_equal | bool(np.array_equal(a, same)) | t.equal(a, same)
array_equiv | bool(np.array_equiv(a, same)) | t.equal(a, same)
around | np.around(x, 2) | t.round(x, decimals=2)
nan_to_num | np.nan_to_num(nans) | t.nan_to_num(nans)
where_first | np.select([mask, rare], [a, b], 0) | t.where(mask, a, t.where(rare, b, 0))
choose | np.choose(choice, [a, b]) | -
cast_f16 | a.astype("f2") | a.half()
cast_bf16 | - | a.bfloat16()
cast_f64 | a.astype("f8") | a.double()
cast_i32 | g.astype("i4") | g.int()
cast_u8_f32 | u8.astype("f4") | u8.float()
cast_i64_f32 | i64.astype("f4") | i64.float()
sum | np.sum(x) | x.sum()
prod | np.prod(x) | x.prod()
min | np.min(x) | x.amin()
max | np.max(x) | x.amax()
argmin | np.argmin(x) | x.argmin()
argmax | np.argmax(x) | x.argmax()
mean | np.mean(x) | x.mean()
var | np.var(x) | t.var(x, unbiased=False)
std | np.std(x) | t.std(x, unbiased=False)
ptp | np.ptp(x) | x.amax() - x.amin()
norm | np.linalg.norm(x) | t.linalg.vector_norm(x)
count_nonzero | np.count_nonzero(x) | t.count_nonzero(x)
sum_axis_0 | np.sum(m, 0) | m.sum(0)
prod_axis_0 | np.prod(m, 0) | m.prod(0)
min_axis_0 | np.min(m, 0) | m.amin(0)
max_axis_0 | np.max(m, 0) | m.amax(0)
argmin_axis_0 | np.argmin(m, 0) | m.argmin(0)
argmax_axis_0 | np.argmax(m, 0) | m.argmax(0)
mean_axis_0 | np.mean(m, 0) | m.mean(0)
var_axis_0 | np.var(m, 0) | t.var(m, 0, unbiased=False)
std_axis_0 | np.std(m, 0) | t.std(m, 0, unbiased=False)
ptp_axis_0 | np.ptp(m, 0) | m.amax(0) - m.amin(0)
norm_axis_0 | np.linalg.norm(m, axis=0) | t.linalg.vector_norm(m, dim=0)
sum_axis_1 | np.sum(m, 1) | m.sum(1)
prod_axis_1 | np.prod(m, 1) | m.prod(1)
min_axis_1 | np.min(m, 1) | m.amin(1)
max_axis_1 | np.max(m, 1) | m.amax(1)
argmin_axis_1 | np.argmin(m, 1) | m.argmin(1)
argmax_axis_1 | np.argmax(m, 1) | m.argmax(1)
mean_axis_1 | np.mean(m, 1) | m.mean(1)
var_axis_1 | np.var(m, 1) | t.var(m, 1, unbiased=False)
std_axis_1 | np.std(m, 1) | t.std(m, 1, unbiased=False)
ptp_axis_1 | np.ptp(m, 1) | m.amax(1) - m.amin(1)
norm_axis_1 | np.linalg.norm(m, axis=1) | t.linalg.vector_norm(m, dim=1)
any | np.any(mask) | mask.any()
all | np.all(mask) | mask.all()
any_of_none | np.any(unset) | unset.any()
sum_1000 | np.sum(small) | small.sum()
sum_turned | np.sum(turned, 1) | turned.sum(1)
sum_middle | np.sum(cube, 1) | cube.sum(1)
sum_outer_and_inner | np.sum(cube, (0, 2)) | cube.sum((0, 2))
sum_f16 | np.sum(h) | h.sum()
sum_u8 | np.sum(u8) | u8.sum()
sum_i64 | np.sum(i64) | i64.sum()
sum_f64 | np.sum(d) | d.sum()
sum_f64_axis_0 | np.sum(md, 0) | md.sum(0)
sum_f64_axis_1 | np.sum(md, 1) | md.sum(1)
sum_c64 | np.sum(c) | c.sum()
nansum | np.nansum(nans) | t.nansum(nans)
nanprod | np.nanprod(nans) | -
nanmin | np.nanmin(nans) | -
nanmax | np.nanmax(nans) | -
nanargmin | np.nanargmin(nans) | -
nanargmax | np.nanargmax(nans) | -
nanmean | np.nanmean(nans) | t.nanmean(nans)
nanvar | np.nanvar(nans) | -
nanstd | np.nanstd(nans) | -
nanmedian | np.nanmedian(nans) | t.nanmedian(nans)
dot | np.dot(a, b) | t.dot(a, b)
vdot | np.vdot(a, b) | t.vdot(a, b)
dot_f64 | np.dot(d, e) | t.dot(d, e)
reduce | np.mean((a - b) ** 2) | F.mse_loss(a, b)
reduce_segments | np.add.reduceat(a, offsets[:-1]) | -
reduce_by_key | (lambda k, i: (k, np.bincount(i, a)))(*np.unique(groups, return_inverse=True)) | \
  (lambda k, i: (k, t.bincount(i, a)))(*t.unique(groups, return_inverse=True))
group_by | (np.unique(groups, return_counts=True), np.argsort(groups, kind="stable")) | \
  (t.unique(groups, return_counts=True), groups.argsort(stable=True))
subset_sum | np.sum(a[index]) | a[index].sum()
subset_min | np.min(a[index]) | a[index].amin()
subset_max | np.max(a[index]) | a[index].amax()
subset_dot | np.dot(a[index], b[index]) | t.dot(a[index], b[index])
softmax | special.softmax(m, 1) | t.softmax(m, 1)
log_softmax | special.log_softmax(m, 1) | t.log_softmax(m, 1)
logsumexp | special.logsumexp(m, 1) | t.logsumexp(m, 1)
standardize | (m - m.mean(1, keepdims=True)) / m.std(1, keepdims=True) | F.layer_norm(m, (s,))
softmax_axis_0 | special.softmax(m, 0) | t.softmax(m, 0)
cumsum | np.cumsum(a) | a.cumsum(0)
cumprod | np.cumprod(a) | a.cumprod(0)
cummax | np.maximum.accumulate(a) | a.cummax(0)
cummin | np.minimum.accumulate(a) | a.cummin(0)
nancumsum | np.nancumsum(nans) | -
nancumprod | np.nancumprod(nans) | -
cumsum_axis_0 | np.cumsum(m, 0) | m.cumsum(0)
cumsum_axis_1 | np.cumsum(m, 1) | m.cumsum(1)
cumsum_i64 | np.cumsum(i64) | i64.cumsum(0)
cumprod_f64 | np.cumprod(d) | d.cumprod(0)
scan | - | -
rolling | ndimage.uniform_filter1d(a, 16) | F.avg_pool1d(a[None], 16, 1)
rolling_max | ndimage.maximum_filter1d(a, 16) | F.max_pool1d(a[None], 16, 1)
sort | np.sort(a) | a.sort()
argsort | np.argsort(a, kind="stable") | a.argsort(stable=True)
sort_axis_0 | np.sort(m, 0) | m.sort(0)
argsort_axis_0 | np.argsort(m, 0, kind="stable") | m.argsort(dim=0, stable=True)
sort_axis_1 | np.sort(m, 1) | m.sort(1)
argsort_axis_1 | np.argsort(m, 1, kind="stable") | m.argsort(dim=1, stable=True)
sort_1000 | np.sort(small) | small.sort()
sort_f64 | np.sort(d) | d.sort()
sort_i64 | np.sort(i64) | i64.sort()
sort_u32 | np.sort(u32) | -
sort_u16 | np.sort(u16) | -
sort_u8 | np.sort(u8) | u8.sort()
sort_c64 | np.sort(c) | -
sort_rows_of_32 | np.sort(rows32, 1) | rows32.sort(1)
sort_rows_of_1024 | np.sort(rows1024, 1) | rows1024.sort(1)
sort_rows_of_65536 | np.sort(rows65536, 1) | rows65536.sort(1)
sort_by_key | (lambda o: (i32[o], a[o]))(np.argsort(i32, kind="stable")) | \
  (lambda r: (r[0], a[r[1]]))(i32.sort(stable=True))
lexsort | np.lexsort((a, groups)) | -
topk | (lambda i: (a[i], i))(np.argpartition(a, -100)[-100:]) | a.topk(100)
topk_axis_1 | (lambda i: (np.take_along_axis(m, i, 1), i))(np.argpartition(m, -10, 1)[:, -10:]) | m.topk(10, 1)
partition_kth | np.partition(a, n // 2) | -
argpartition | np.argpartition(a, n // 2) | -
is_sorted | np.all(ascending[1:] >= ascending[:-1]) | (ascending[1:] >= ascending[:-1]).all()
searchsorted | np.searchsorted(ascending, b) | t.searchsorted(ascending, b)
searchsorted_1000 | np.searchsorted(ascending_1000, b) | t.searchsorted(ascending_1000, b)
digitize | np.digitize(b, ascending_1000) | t.bucketize(b, ascending_1000)
merge | np.sort(np.concatenate((ascending, ascending2)), kind="stable") | t.cat((ascending, ascending2)).sort()
unique | np.unique(i32) | t.unique(i32)
unique_inverse | np.unique(i32, return_inverse=True) | t.unique(i32, return_inverse=True)
isin | np.isin(i32, table) | t.isin(i32, table)
intersect1d | np.intersect1d(i32, table) | -
setdiff1d | np.setdiff1d(i32, table) | -
union1d | np.union1d(i32, table) | t.cat((i32, table)).unique()
setxor1d | np.setxor1d(i32, table) | -
histogram_10 | np.histogram(a, 10, (0, 1)) | t.histc(a, 10, 0, 1)
histogram | np.histogram(a, 256, (0, 1)) | t.histc(a, 256, 0, 1)
histogram_16384 | np.histogram(a, 16384, (0, 1)) | t.histc(a, 16384, 0, 1)
histogram_65536 | np.histogram(a, 65536, (0, 1)) | t.histc(a, 65536, 0, 1)
histogram2d | np.histogram2d(a, b, 64, ((0, 1), (0, 1))) | -
histogramdd | np.histogramdd(points, 64, ((0, 1), (0, 1))) | -
bincount | np.bincount(keys, minlength=1 << 20) | t.bincount(keys, minlength=1 << 20)
bincount_u8 | np.bincount(u8, minlength=256) | t.bincount(u8, minlength=256)
bincount_weights | np.bincount(keys, a, 1 << 20) | t.bincount(keys, a, 1 << 20)
median | np.median(a) | t.median(a)
median_axis_1 | np.median(m, 1) | t.median(m, 1)
median_rows_of_1024 | np.median(rows1024, 1) | t.median(rows1024, 1)
median_rows_of_65536 | np.median(rows65536, 1) | t.median(rows65536, 1)
quantile | np.quantile(a, 0.9) | t.quantile(a, 0.9)
percentile | np.percentile(a, 90) | t.quantile(a, 0.9)
nanquantile | np.nanquantile(nans, 0.9) | t.nanquantile(nans, 0.9)
nanpercentile | np.nanpercentile(nans, 90) | t.nanquantile(nans, 0.9)
average | np.average(a, weights=b) | (a * b).sum() / b.sum()
cov | np.cov(few_rows) | t.cov(few_rows)
corrcoef | np.corrcoef(few_rows) | t.corrcoef(few_rows)
trapezoid | np.trapezoid(a) | t.trapezoid(a)
cumulative_trapezoid | integrate.cumulative_trapezoid(a) | t.cumulative_trapezoid(a)
full | np.full(n, 1, "f4") | t.full((n,), 1.0)
zeros | np.zeros(n, "f4") | t.zeros(n)
ones | np.ones(n, "f4") | t.ones(n)
empty | np.empty(n, "f4") | t.empty(n)
full_like | np.full_like(a, 1) | t.full_like(a, 1)
zeros_like | np.zeros_like(a) | t.zeros_like(a)
ones_like | np.ones_like(a) | t.ones_like(a)
empty_like | np.empty_like(a) | t.empty_like(a)
fill | target.fill(1) | target.fill_(1)
arange | np.arange(n, dtype="f4") | t.arange(n, dtype=t.float32)
linspace | np.linspace(0, 1, n, dtype="f4") | t.linspace(0, 1, n)
logspace | np.logspace(0, 1, n, dtype="f4") | t.logspace(0, 1, n)
geomspace | np.geomspace(1, 1000, n, dtype="f4") | -
eye | np.eye(s, dtype="f4") | t.eye(s)
tri | np.tri(s, dtype="f4") | t.ones(s, s).tril()
tril_indices | np.tril_indices(s) | t.tril_indices(s, s)
triu_indices | np.triu_indices(s) | t.triu_indices(s, s)
diag_indices | np.diag_indices(s) | (t.arange(s), t.arange(s))
indices | np.indices((s, s)) | t.stack(t.meshgrid(t.arange(s), t.arange(s), indexing="ij"))
copy | a.copy() | a.clone()
copy_turned | np.ascontiguousarray(turned) | turned.contiguous()
copy_turned_u8 | np.ascontiguousarray(turned_u8) | turned_u8.contiguous()
copy_turned_f16 | np.ascontiguousarray(turned_f16) | turned_f16.contiguous()
copy_021 | np.ascontiguousarray(cube_021) | cube_021.contiguous()
copy_210 | np.ascontiguousarray(cube_210) | cube_210.contiguous()
copy_102 | np.ascontiguousarray(cube_102) | cube_102.contiguous()
copy_120 | np.ascontiguousarray(cube_120) | cube_120.contiguous()
copy_every_third | np.ascontiguousarray(third) | third.contiguous()
copy_reverse | np.ascontiguousarray(reverse) | a.flip(0)
take | np.take(a, index) | a[index]
take_clip | np.take(a, index, mode="clip") | t.take(a, index)
take_rows | np.take(m, row_index, 0) | m[row_index]
take_along_axis | np.take_along_axis(m, order, 1) | t.take_along_dim(m, order, 1)
at | m[row_of, column_of] |
take_many | (a[index], b[index]) |
put | np.put(target, index, a) | target.put_(index, a)
put_value | np.put(target, index, 1.5) | target.put_(index, t.full_like(a, 1.5))
put_along_axis | np.put_along_axis(target_m, order, m, 1) | target_m.scatter_(1, order, m)
put_many | (np.put(target, index, a), np.put(target2, index, b)) | (target.put_(index, a), target2.put_(index, b))
scatter | target.__setitem__(index, a) | target.scatter_(0, index, a)
scatter_add | np.add.at(bins, keys, a) | bins.scatter_add_(0, keys, a)
scatter_min | np.minimum.at(bins, keys, a) | bins.scatter_reduce_(0, keys, a, "amin")
scatter_max | np.maximum.at(bins, keys, a) | bins.scatter_reduce_(0, keys, a, "amax")
assign | np.copyto(target, a, where=mask) | target.copy_(t.where(mask, a, target))
place | np.place(target, mask, small) | -
putmask | np.putmask(target, mask, small) | -
fill_diagonal | np.fill_diagonal(target_m, 1) | target_m.fill_diagonal_(1)
ravel_multi_index | np.ravel_multi_index((row_of, column_of), (rows, s)) | row_of * s + column_of
unravel_index | np.unravel_index(index, (rows + 1, s)) | t.unravel_index(index, (rows + 1, s))
compress | a[mask] |
partition | np.concatenate((a[mask], a[~mask])) | t.cat((a[mask], a[~mask]))
select | a[a > 0.5] |
nonzero | np.nonzero(blobs) | blobs.nonzero()
flatnonzero | np.flatnonzero(mask) | mask.nonzero()
flatnonzero_u8 | np.flatnonzero(u8) | u8.nonzero()
concatenate | np.concatenate((a, b)) | t.cat((a, b))
concatenate_axis_1 | np.concatenate((m, m2), 1) | t.cat((m, m2), 1)
stack | np.stack((a, b)) | t.stack((a, b))
stack_axis_1 | np.stack((a, b), 1) | t.stack((a, b), 1)
vstack | np.vstack((m, m2)) | t.vstack((m, m2))
hstack | np.hstack((m, m2)) | t.hstack((m, m2))
dstack | np.dstack((m, m2)) | t.dstack((m, m2))
column_stack | np.column_stack((a, b)) | t.column_stack((a, b))
append | np.append(a, b) | t.cat((a, b))
insert | np.insert(a, 100, 1) | t.cat((a[:100], one, a[100:]))
delete | np.delete(a, 100) | t.cat((a[:100], a[101:]))
trim_zeros | np.trim_zeros(a) | -
resize | np.resize(small, n) | -
repeat | np.repeat(table, 16) | table.repeat_interleave(16)
tile | np.tile(row, (rows, 1)) | row.repeat(rows, 1)
roll | np.roll(a, 12345) | a.roll(12345)
roll_axis_1 | np.roll(m, 1, 1) | m.roll(1, 1)
pad | np.pad(m, 1) | F.pad(m, (1, 1, 1, 1))
pad_reflect | np.pad(m, 1, mode="reflect") | F.pad(m[None], (1, 1, 1, 1), mode="reflect")
tril | np.tril(m) | m.tril()
triu | np.triu(m) | m.triu()
diag | np.diag(row) | t.diag(row)
packbits | np.packbits(mask) | -
unpackbits | np.unpackbits(packed) | -
diff | np.diff(a) | a.diff()
diff_axis_1 | np.diff(m, axis=1) | m.diff(dim=1)
ediff1d | np.ediff1d(a) | a.diff()
gradient | np.gradient(a) | t.gradient(a)
unwrap | np.unwrap(g) | -
matmul | sq @ sq2 |
matmul_precision_f32 | sq @ sq2 |
matmul_precision_tf32 | - | tf32(sq, sq2)
matmul_f16 | sq_f16 @ sq_f16 |
matmul_bf16 | - | sq_bf16 @ sq_bf16
matmul_f64 | sq_f64 @ sq_f64 |
matmul_c64 | sq_c64 @ sq_c64 |
matmul_i8 | - | t._int_mm(sq_i8, sq_i8)
matmul_many_16 | many16 @ many16 |
matmul_many_64 | many64 @ many64 |
matmul_many_256 | many256 @ many256 |
matmul_bias_gelu | gelu(sq @ sq2 + row) | F.gelu(t.addmm(row, sq, sq2), approximate="tanh")
matmul_bias_gelu_f16 | gelu(sq_f16 @ sq_f16 + row_f16) | F.gelu(t.addmm(row_f16, sq_f16, sq_f16), approximate="tanh")
matvec | sq @ row |
einsum | np.einsum("ij,jk->ki", sq, sq2, optimize=True) | t.einsum("ij,jk->ki", sq, sq2)
einsum_of_elements | np.einsum("ij,ij->i", m, m2) | t.einsum("ij,ij->i", m, m2)
tensordot | np.tensordot(sq, sq2, 1) | t.tensordot(sq, sq2, 1)
inner | np.inner(sq, sq2) | t.inner(sq, sq2)
outer | np.outer(column, row) | t.outer(column[:, 0], row)
kron | np.kron(sq_part, window) | t.kron(sq_part, window)
cross | np.cross(three, three2) | t.linalg.cross(three, three2)
multi_dot | np.linalg.multi_dot((sq, sq2, row)) | t.linalg.multi_dot((sq, sq2, row))
matrix_trace | np.trace(sq) | t.trace(sq)
cholesky | np.linalg.cholesky(spd) | t.linalg.cholesky(spd)
lu | linalg.lu(full) | t.linalg.lu(full)
lu_factor | linalg.lu_factor(full) | t.linalg.lu_factor(full)
lu_solve | linalg.lu_solve(factors, right) | t.linalg.lu_solve(*factors, right)
solve | np.linalg.solve(full, right) | t.linalg.solve(full, right)
solve_triangular | linalg.solve_triangular(full, right) | t.linalg.solve_triangular(full, right, upper=True)
inv | np.linalg.inv(full) | t.linalg.inv(full)
det | np.linalg.det(full) | t.linalg.det(full)
slogdet | np.linalg.slogdet(full) | t.linalg.slogdet(full)
qr | np.linalg.qr(full_small) | t.linalg.qr(full_small)
eigh | np.linalg.eigh(spd_small) | t.linalg.eigh(spd_small)
svd | np.linalg.svd(full_small, full_matrices=False) | t.linalg.svd(full_small, full_matrices=False)
lstsq | np.linalg.lstsq(tall, tall_right) | t.linalg.lstsq(tall, tall_right[:, None])
pinv | np.linalg.pinv(full_small) | t.linalg.pinv(full_small)
matrix_rank | np.linalg.matrix_rank(full_small) | t.linalg.matrix_rank(full_small)
matrix_power | np.linalg.matrix_power(full_small, 5) | t.linalg.matrix_power(full_small, 5)
matrix_norm | np.linalg.norm(m) | t.linalg.matrix_norm(m)
cond | np.linalg.cond(full_small) | t.linalg.cond(full_small)
cholesky_many | np.linalg.cholesky(spd32) | t.linalg.cholesky(spd32)
solve_many | np.linalg.solve(full32, right32) | t.linalg.solve(full32, right32)
inv_many | np.linalg.inv(full32) | t.linalg.inv(full32)
eigh_many | np.linalg.eigh(spd32) | t.linalg.eigh(spd32)
fft | fft.fft(c) | t.fft.fft(c)
ifft | fft.ifft(c) | t.fft.ifft(c)
hfft | fft.hfft(c, n) | t.fft.hfft(c, n)
rfft | fft.rfft(a) | t.fft.rfft(a)
ihfft | fft.ihfft(a) | t.fft.ihfft(a)
irfft | fft.irfft(c, n) | t.fft.irfft(c, n)
fft_rows_of_256 | fft.fft(fft256) | t.fft.fft(fft256)
fft_rows_of_4096 | fft.fft(fft4096) | t.fft.fft(fft4096)
fft_rows_of_65536 | fft.fft(fft65536) | t.fft.fft(fft65536)
fft2 | fft.fft2(mc) | t.fft.fft2(mc)
ifft2 | fft.ifft2(mc) | t.fft.ifft2(mc)
irfft2 | fft.irfft2(mc, (rows, s)) | t.fft.irfft2(mc, (rows, s))
rfft2 | fft.rfft2(m) | t.fft.rfft2(m)
fftn | fft.fftn(cube_c64) | t.fft.fftn(cube_c64)
ifftn | fft.ifftn(cube_c64) | t.fft.ifftn(cube_c64)
irfftn | fft.irfftn(cube_c64, cube_c64.shape) | t.fft.irfftn(cube_c64, cube_c64.shape)
rfftn | fft.rfftn(cube) | t.fft.rfftn(cube)
fftshift | np.fft.fftshift(m) | t.fft.fftshift(m)
ifftshift | np.fft.ifftshift(m) | t.fft.ifftshift(m)
fftfreq | np.fft.fftfreq(n) | t.fft.fftfreq(n)
rfftfreq | np.fft.rfftfreq(n) | t.fft.rfftfreq(n)
dct | fft.dct(a) | -
idct | fft.idct(a) | -
convolve | np.convolve(a, kernel) | F.conv1d(a[None, None], kernel.flip(0)[None, None], padding=8)
correlate | np.correlate(a, kernel) | F.conv1d(a[None, None], kernel[None, None])
fftconvolve | signal.fftconvolve(m, window) | F.conv2d(m[None, None], window.flip(0, 1)[None, None], padding=4)
hanning | np.hanning(n) | t.hann_window(n, periodic=False)
hamming | np.hamming(n) | t.hamming_window(n, periodic=False)
blackman | np.blackman(n) | t.blackman_window(n, periodic=False)
bartlett | np.bartlett(n) | t.bartlett_window(n, periodic=False)
kaiser | np.kaiser(n, 14) | t.kaiser_window(n, False, 14)
csr_create | sparse.csr_matrix((values, stored_in, starts), stored_shape) | \
  t.sparse_csr_tensor(starts, stored_in, values, stored_shape, check_invariants=True)
csr_from_coo | sparse.coo_matrix((values, (stored_at, stored_in)), stored_shape).tocsr() | \
  t.sparse_coo_tensor(t.stack((stored_at, stored_in)), values, stored_shape).to_sparse_csr()
csr_from_dense | sparse.csr_matrix(mostly_zero) | mostly_zero.to_sparse_csr()
csr_to_dense | csr_m.toarray() | csr_m.to_dense()
csr_to_coo | csr.tocoo() | csr.to_sparse()
csr_transpose | csr.T.tocsr() | csr.t().to_sparse_csr()
csr_matmul | csr @ vector |
csr_matmul_band | band @ vector |
polyval | np.polyval(poly, x) | -
vander | np.vander(x, 4) | t.vander(x, N=4)
polyfit | np.polyfit(a, b, 3) | -
correlate1d | ndimage.correlate1d(m, kernel) | -
convolve1d | ndimage.convolve1d(m, kernel, 0) | -
correlate_nd | ndimage.correlate(m, window) | F.conv2d(m[None, None], window[None, None], padding=2)
convolve_nd | ndimage.convolve(m, window) | F.conv2d(m[None, None], window.flip(0, 1)[None, None], padding=2)
gaussian_filter | ndimage.gaussian_filter(m, 1) | -
uniform_filter | ndimage.uniform_filter(m, 5) | F.avg_pool2d(m[None], 5, 1, 2)
sobel | ndimage.sobel(m, 0) | -
prewitt | ndimage.prewitt(m, 0) | -
laplace_filter | ndimage.laplace(m) | -
gaussian_laplace | ndimage.gaussian_laplace(m, 1) | -
minimum_filter | ndimage.minimum_filter(m, 5) | -
maximum_filter | ndimage.maximum_filter(m, 5) | F.max_pool2d(m[None], 5, 1, 2)
median_filter | ndimage.median_filter(m, 3) | -
median_filter_7x7 | ndimage.median_filter(m, 7) | -
rank_filter | ndimage.rank_filter(m, 2, 3) | -
percentile_filter | ndimage.percentile_filter(m, 20, 3) | -
grey_erosion | ndimage.grey_erosion(m, (5, 5)) | -
grey_dilation | ndimage.grey_dilation(m, (5, 5)) | F.max_pool2d(m[None], 5, 1, 2)
grey_opening | ndimage.grey_opening(m, (5, 5)) | -
grey_closing | ndimage.grey_closing(m, (5, 5)) | -
binary_erosion | ndimage.binary_erosion(blobs) | -
binary_dilation | ndimage.binary_dilation(blobs) | -
binary_opening | ndimage.binary_opening(blobs) | -
binary_closing | ndimage.binary_closing(blobs) | -
interp | np.interp(b, ascending_1000, small) | -
map_coordinates | ndimage.map_coordinates(m, places) | -
affine_transform | ndimage.affine_transform(m, affine) | -
zoom | ndimage.zoom(m, 0.5) | -
shift | ndimage.shift(m, 1.5) | -
rotate | ndimage.rotate(m, 30, reshape=False) | -
label | ndimage.label(blobs) | -
distance_transform | ndimage.distance_transform_edt(blobs) | -
random_bits | rng.integers(0, 1 << 32, n, dtype=np.uint32) | -
uniform | rng.random(n, dtype=np.float32) | t.rand(n)
uniform_f64 | rng.random(n) | t.rand(n, dtype=t.float64)
normal | rng.standard_normal(n, dtype=np.float32) | t.randn(n)
normal_f64 | rng.standard_normal(n) | t.randn(n, dtype=t.float64)
exponential | rng.standard_exponential(n, dtype=np.float32) | t.empty(n).exponential_()
lognormal | rng.lognormal(0, 1, n) | t.empty(n).log_normal_()
laplace | rng.laplace(0, 1, n) | -
logistic | rng.logistic(0, 1, n) | -
gumbel | rng.gumbel(0, 1, n) | -
weibull | rng.weibull(1.5, n) | -
pareto | rng.pareto(3, n) | -
rayleigh | rng.rayleigh(1, n) | -
triangular | rng.triangular(0, 0.3, 1, n) | -
bernoulli | rng.random(n, dtype=np.float32) < 0.3 | t.rand(n) < 0.3
integers | rng.integers(0, 1000, n) | t.randint(0, 1000, (n,))
integers_i32 | rng.integers(0, 1000, n, dtype=np.int32) | t.randint(0, 1000, (n,), dtype=t.int32)
gamma | rng.standard_gamma(2, n, np.float32) | t._standard_gamma(t.full((n,), 2.0))
chisquare | rng.chisquare(3, n) | -
beta | rng.beta(2, 3, n) | -
f_ratio | rng.f(3, 10, n) | -
standard_t | rng.standard_t(5, n) | -
vonmises | rng.vonmises(0, 1, n) | -
truncated_normal | - | t.nn.init.trunc_normal_(t.empty(n), 0, 1, -1, 2)
poisson | rng.poisson(4, n) | t.poisson(t.full((n,), 4.0))
binomial | rng.binomial(100, 0.3, n) | t.binomial(t.full((n,), 100.0), t.full((n,), 0.3))
geometric | rng.geometric(0.3, n) | t.empty(n, dtype=t.int64).geometric_(0.3)
negative_binomial | rng.negative_binomial(5, 0.5, n) | -
dirichlet | rng.dirichlet(weights, n // 4) | t._sample_dirichlet(weights.expand(n // 4, 4))
multinomial | rng.multinomial(20, weights.astype("f8") / weights.sum(dtype="f8"), n // 4) | -
multivariate_normal | rng.multivariate_normal(mean, covariance, n // 2, method="cholesky") | \
  t.randn(n // 2, 2) @ t.linalg.cholesky(covariance).T + mean
sobol | stats.qmc.Sobol(4, scramble=False).random(n // 4) | -
sobol_64 | stats.qmc.Sobol(64, scramble=False).random(n // 64) | -
permutation | rng.permutation(n) | t.randperm(n)
shuffle | rng.permutation(a) | a[t.randperm(n)]
choice | rng.choice(a, n) | a[t.randint(0, n, (n,))]
choice_unique | rng.choice(a, n // 2, replace=False) | a[t.randperm(n)[:n // 2]]
"""
