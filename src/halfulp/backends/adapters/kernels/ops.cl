// One kernel for each kind of op, as plain as it can be: each sum is one chain, from the first term to the last.
// REAL is float or double. FUSED: whether a product and the addition of it may be one fused operation.
#ifdef WIDE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef FUSED
#pragma OPENCL FP_CONTRACT ON
#else
#pragma OPENCL FP_CONTRACT OFF
#endif
#define HERE get_global_id(0)

// c[z, i, j] = sum over k of a[z, i, k] b[z, k, j] (+ bias[j]); turned: b is [j, k]
__kernel void product(__global const REAL *a, __global const REAL *b, __global const REAL *bias, __global REAL *c,
                      int rows, int columns, int inner, int turned, int biased) {
  int j = get_global_id(0), i = get_global_id(1), z = get_global_id(2);
  a += (long)z * rows * inner + (long)i * inner;
  b += (long)z * columns * inner;
  REAL sum = 0;
  if (turned) for (int k = 0; k < inner; k++) sum += a[k] * b[(long)j * inner + k];
  else for (int k = 0; k < inner; k++) sum += a[k] * b[(long)k * columns + j];
  if (biased) sum += bias[j];
  c[((long)z * rows + i) * columns + j] = sum;
}

// Channels first; an image of one axis has height 1.
__kernel void convolution(__global const REAL *x, __global const REAL *w, __global const REAL *bias, __global REAL *y,
                          int channels, int height, int width, int outputs, int kernel_height, int kernel_width,
                          int out_height, int out_width, int stride_y, int stride_x, int pad_y, int pad_x) {
  int column = get_global_id(0) % out_width, row = get_global_id(0) / out_width, o = get_global_id(1), n = get_global_id(2);
  REAL sum = 0;
  for (int c = 0; c < channels; c++)
    for (int i = 0; i < kernel_height; i++) {
      int h = row * stride_y - pad_y + i;
      if (h < 0 || h >= height) continue;
      for (int j = 0; j < kernel_width; j++) {
        int v = column * stride_x - pad_x + j;
        if (v < 0 || v >= width) continue;
        sum += x[((long)(n * channels + c) * height + h) * width + v] * w[((o * channels + c) * kernel_height + i) * kernel_width + j];
      }
    }
  y[((long)(n * outputs + o) * out_height + row) * out_width + column] = sum + bias[o];
}

__kernel void pool(__global const REAL *x, __global REAL *y, int height, int width, int window, int out_height, int out_width,
                   int stride, int largest) {
  int column = get_global_id(0) % out_width, row = get_global_id(0) / out_width, z = get_global_id(1);
  REAL found = largest ? (REAL)-INFINITY : (REAL)0;
  for (int i = 0; i < window; i++)
    for (int j = 0; j < window; j++) {
      REAL each = x[((long)z * height + row * stride + i) * width + column * stride + j];
      found = largest ? (isnan(each) || each > found ? each : found) : found + each;
    }
  y[((long)z * out_height + row) * out_width + column] = largest ? found : found / (REAL)(window * window);
}

__kernel void softmax(__global const REAL *x, __global REAL *y, int length, int logarithm) {
  x += (long)HERE * length;
  y += (long)HERE * length;
  REAL most = x[0], sum = 0;
  for (int k = 1; k < length; k++) most = fmax(most, x[k]);
  for (int k = 0; k < length; k++) sum += exp(x[k] - most);
  REAL shift = log(sum);
  for (int k = 0; k < length; k++) y[k] = logarithm ? (x[k] - most) - shift : exp(x[k] - most) / sum;
}

// Rows are normalized; period numbers of weight and bias repeat over the row (one each for a layer, one for each channel of a group).
__kernel void normalization(__global const REAL *x, __global const REAL *weight, __global const REAL *bias, __global REAL *y,
                            int length, REAL layer_eps, int centered, int groups, int run) {
  int first = (HERE % groups) * (length / run);
  x += (long)HERE * length;
  y += (long)HERE * length;
  REAL mean = 0, variance = 0;
  if (centered) {
    for (int k = 0; k < length; k++) mean += x[k];
    mean /= (REAL)length;
  }
  for (int k = 0; k < length; k++) {
    REAL apart = x[k] - mean;
    variance += apart * apart;
  }
  REAL scale = rsqrt(variance / (REAL)length + layer_eps);
  for (int k = 0; k < length; k++) {
    REAL each = (x[k] - mean) * scale * weight[first + k / run];
    y[k] = centered ? each + bias[first + k / run] : each;
  }
}

__kernel void batch_norm(__global const REAL *x, __global const REAL *mean, __global const REAL *variance, __global const REAL *weight,
                         __global const REAL *bias, __global REAL *y, int channels, int plane, REAL layer_eps) {
  int c = (HERE / plane) % channels;
  y[HERE] = (x[HERE] - mean[c]) * rsqrt(variance[c] + layer_eps) * weight[c] + bias[c];
}

// kind 0: sum, 1: mean, 2: variance, 3: running sums
__kernel void reduction(__global const REAL *x, __global REAL *y, int length, int kind) {
  x += (long)HERE * length;
  REAL sum = 0;
  for (int k = 0; k < length; k++) {
    sum += x[k];
    if (kind == 3) y[(long)HERE * length + k] = sum;
  }
  if (kind == 3) return;
  REAL mean = sum / (REAL)length, variance = 0;
  if (kind == 2)
    for (int k = 0; k < length; k++) {
      REAL apart = x[k] - mean;
      variance += apart * apart;
    }
  y[HERE] = kind == 0 ? sum : kind == 1 ? mean : variance / (REAL)length;
}

__kernel void rows(__global const REAL *table, __global const long *indices, __global REAL *y, int width) {
  y[HERE] = table[indices[HERE / width] * width + HERE % width];
}

__kernel void gather(__global const REAL *x, __global const long *indices, __global REAL *y, int length, int count) {
  y[HERE] = x[(long)(HERE / count) * length + indices[HERE]];
}

#define EACH(name, value) __kernel void name(__global const REAL *given, __global REAL *y) { REAL x = given[HERE]; y[HERE] = value; }
EACH(f_relu, isnan(x) || x > (REAL)0 ? x : (REAL)0)
EACH(f_gelu, (REAL)0.5 * x * ((REAL)1 + erf(x * (REAL)0.70710678118654752440)))
EACH(f_gelu_tanh, (REAL)0.5 * x * ((REAL)1 + tanh((REAL)0.79788456080286535588 * (x + (REAL)0.044715 * x * x * x))))
EACH(f_silu, x / ((REAL)1 + exp(-x)))
EACH(f_sigmoid, (REAL)1 / ((REAL)1 + exp(-x)))
EACH(f_tanh, tanh(x))
EACH(f_exp, exp(x))
EACH(f_log, log(x))
EACH(f_sqrt, sqrt(x))
EACH(f_rsqrt, rsqrt(x))
EACH(f_erf, erf(x))
