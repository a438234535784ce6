"""48 functions that add numbers, as users write them.

Written without sight of halfulp. FUNCTIONS is a list of Entry(id, library, make, kind, note).
make(seed) -> (function, inputs): `inputs` is a tuple of one or two NumPy arrays
and the call is function(*inputs).  The function, its sizes and its constant
weights, keys and sparsity patterns do not depend on the seed: only the values of
the inputs do.  Every input may take any finite value (zeros included).

Kinds: linear        a plain sum or dot product, whose order depends on nothing else
       coefficients  linear with further weights or a division
       compensated   Kahan, Neumaier and the like
       nonlinear     norms, softmax denominators
       unordered     the order depends on the values

Run this file to see each function work.
"""

import os

os.environ.setdefault("NUMBA_NUM_THREADS", "2")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numba
import numpy as np
import onnx
import onnxruntime
import openvino as ov
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from onnx import TensorProto, helper, numpy_helper
from openvino import opset13 as ops

jax.config.update("jax_enable_x64", True)
# With TBB (which OpenVINO brings in) one thread may take both halves of a prange, so
# that the order varies from call to call; workqueue gives each thread its own half.
numba.config.THREADING_LAYER = "workqueue"

F32, F64, LONG = np.float32, np.float64, np.longdouble


class Entry(NamedTuple):
    id: str
    library: str
    make: Callable
    kind: str
    note: str


FUNCTIONS: list[Entry] = []
REFERENCES: dict[str, Callable] = {}  # id -> the same in longdouble


def normal(seed, *shapes, dtype):
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal(shape).astype(dtype) for shape in shapes)


def strided(x, y):
    """Every third element, and all of them backwards: views."""
    return x[::3], y[::-1]


def add(id, library, kind, note, inputs, reference):
    """Register the decorated function; inputs(seed) gives its arrays."""

    def register(function):
        def make(seed):
            return function, inputs(seed)

        FUNCTIONS.append(Entry(id, library, make, kind, note))
        REFERENCES[id] = reference
        return function

    return register


# Constants: the same in every run, whatever the seed of the inputs.
_const = np.random.default_rng(20240611)


def group_totals(x, keys, count):
    return np.array([x[keys == k].sum() for k in range(count)])


def running(x, window):
    return np.array([x[max(0, i - window + 1) : i + 1].sum() for i in range(len(x))])


# --------------------------------------------------------------------- pandas 7


@add(
    "pandas_frame_sum",
    "pandas",
    "linear",
    "DataFrame.sum(): 3 columns of 97 rows, float64",
    lambda s: normal(s, (97, 3), dtype=F64),
    lambda x: x.sum(axis=0),
)
def pandas_frame_sum(x):
    return pd.DataFrame(x, columns=["a", "b", "c"]).sum().to_numpy()


PD_KEYS = _const.permutation(np.repeat(np.arange(4), [5, 21, 34, 50]))


@add(
    "pandas_groupby_sum",
    "pandas",
    "compensated",
    "groupby().sum() over 4 interleaved groups of 5 to 50 rows, float32; pandas adds with Kahan",
    lambda s: normal(s, 110, dtype=F32),
    lambda x: group_totals(x, PD_KEYS, 4),
)
def pandas_groupby_sum(x):
    frame = pd.DataFrame({"key": PD_KEYS, "value": x})
    return frame.groupby("key")["value"].sum().to_numpy()


@add(
    "pandas_rolling_sum",
    "pandas",
    "compensated",
    "rolling(12).sum() of 48 values, float64; Kahan, adds the new value and takes the old one away",
    lambda s: normal(s, 48, dtype=F64),
    lambda x: running(x, 12)[11:],
)
def pandas_rolling_sum(x):
    return pd.Series(x).rolling(12).sum().to_numpy()[11:]


@add(
    "pandas_frame_mean_rows",
    "pandas",
    "coefficients",
    "DataFrame.mean(axis=1): 6 rows of 75 columns, float32",
    lambda s: normal(s, (6, 75), dtype=F32),
    lambda x: x.sum(axis=1) / 75,
)
def pandas_frame_mean_rows(x):
    return pd.DataFrame(x).mean(axis=1).to_numpy()


@add(
    "pandas_cumsum",
    "pandas",
    "linear",
    "Series.cumsum() of 40 values, float32: 40 prefix sums",
    lambda s: normal(s, 40, dtype=F32),
    lambda x: np.cumsum(x),
)
def pandas_cumsum(x):
    return pd.Series(x).cumsum().to_numpy()


@add(
    "pandas_series_dot",
    "pandas",
    "linear",
    "Series.dot: 131 products, float64",
    lambda s: normal(s, 131, 131, dtype=F64),
    lambda x, y: x @ y,
)
def pandas_series_dot(x, y):
    return pd.Series(x).dot(pd.Series(y))


def ewm_reference(x):
    decay = LONG(1) - LONG(2) / 11
    weights = decay ** np.arange(len(x))
    return np.array([(weights[: i + 1][::-1] * x[: i + 1]).sum() / weights[: i + 1].sum() for i in range(len(x))])


@add(
    "pandas_ewm_mean",
    "pandas",
    "coefficients",
    "ewm(span=10).mean() of 24 values, float64: a weighted mean kept running, divided at each step "
    "(pandas skips the step where the new value equals the mean)",
    lambda s: normal(s, 24, dtype=F64),
    ewm_reference,
)
def pandas_ewm_mean(x):
    return pd.Series(x).ewm(span=10).mean().to_numpy()


# --------------------------------------------------------------------- polars 6


@add("polars_series_sum", "polars", "linear", "Series.sum() of 300 values, float32", lambda s: normal(s, 300, dtype=F32), lambda x: x.sum())
def polars_series_sum(x):
    return np.float32(pl.Series(x).sum())


PL_KEYS = _const.permutation(np.repeat(np.arange(3), [9, 40, 71]))
PL_ORDER = list(dict.fromkeys(PL_KEYS.tolist()))


@add(
    "polars_group_by_sum",
    "polars",
    "compensated",
    "group_by(maintain_order=True).agg(sum) over 3 interleaved groups of 9 to 71 rows, float64; polars adds with Kahan",
    lambda s: normal(s, 120, dtype=F64),
    lambda x: group_totals(x, PL_KEYS, 3)[PL_ORDER],
)
def polars_group_by_sum(x):
    frame = pl.DataFrame({"key": PL_KEYS, "value": x})
    return frame.group_by("key", maintain_order=True).agg(pl.col("value").sum())["value"].to_numpy()


@add(
    "polars_rolling_sum",
    "polars",
    "compensated",
    "Series.rolling_sum(9) of 40 values, float64; Kahan, adds the new value and takes the old one away",
    lambda s: normal(s, 40, dtype=F64),
    lambda x: running(x, 9)[8:],
)
def polars_rolling_sum(x):
    return pl.Series(x).rolling_sum(9).to_numpy()[8:]


@add(
    "polars_frame_mean",
    "polars",
    "coefficients",
    "DataFrame.mean(): 4 columns of 150 rows, float32 (polars accumulates in double)",
    lambda s: normal(s, (150, 4), dtype=F32),
    lambda x: x.sum(axis=0) / 150,
)
def polars_frame_mean(x):
    return pl.from_numpy(x, schema=["a", "b", "c", "d"]).mean().to_numpy()[0]


@add(
    "polars_series_dot",
    "polars",
    "linear",
    "Series.dot: 77 products, float64; the second input is read backwards (negative stride)",
    lambda s: normal(s, 77, 77, dtype=F64),
    lambda x, y: x @ y[::-1],
)
def polars_series_dot(x, y):
    return np.float64(pl.Series(x).dot(pl.Series(y[::-1])))


@add(
    "polars_sorted_cum_sum",
    "polars",
    "unordered",
    "generalised Lorenz curve: Series.sort().cum_sum() of 30 values, float64; sorted, so the order is the values'",
    lambda s: normal(s, 30, dtype=F64),
    lambda x: np.cumsum(np.sort(x)),
)
def polars_sorted_cum_sum(x):
    return pl.Series(x).sort().cum_sum().to_numpy()


# -------------------------------------------------------------------- pyarrow 4


@add(
    "pyarrow_sum_chunked",
    "pyarrow",
    "linear",
    "compute.sum of a chunked array with chunks of 100, 37 and 63 values, float64",
    lambda s: normal(s, 200, dtype=F64),
    lambda x: x.sum(),
)
def pyarrow_sum_chunked(x):
    column = pa.chunked_array([x[:100], x[100:137], x[137:]])
    return np.float64(pc.sum(column).as_py())


@add(
    "pyarrow_mean",
    "pyarrow",
    "coefficients",
    "compute.mean of every second one of 181 values (91, stride 2), float32 in, double out",
    lambda s: normal(s, 181, dtype=F32),
    lambda x: x[::2].sum() / 91,
)
def pyarrow_mean(x):
    return np.float64(pc.mean(pa.array(x[::2])).as_py())


@add(
    "pyarrow_cumulative_sum",
    "pyarrow",
    "linear",
    "compute.cumulative_sum of 33 values, float32: 33 prefix sums",
    lambda s: normal(s, 33, dtype=F32),
    lambda x: np.cumsum(x),
)
def pyarrow_cumulative_sum(x):
    return pc.cumulative_sum(pa.array(x)).to_numpy()


PA_KEYS = _const.permutation(np.repeat(np.arange(5), [6, 7, 20, 31, 46]))
PA_ORDER = list(dict.fromkeys(PA_KEYS.tolist()))


@add(
    "pyarrow_group_by_sum",
    "pyarrow",
    "linear",
    "Table.group_by(use_threads=False).aggregate sum over 5 interleaved groups of 6 to 46 rows, float64",
    lambda s: normal(s, 110, dtype=F64),
    lambda x: group_totals(x, PA_KEYS, 5)[PA_ORDER],
)
def pyarrow_group_by_sum(x):
    table = pa.table({"key": PA_KEYS, "value": x})
    grouped = table.group_by("key", use_threads=False).aggregate([("value", "sum")])
    return grouped["value_sum"].to_numpy()


# --------------------------------------------------------------- scipy.sparse 6


def pattern(rows, columns, density):
    """A fixed boolean pattern with at least 5 entries in each row."""
    mask = _const.random((rows, columns)) < density
    for row in mask:
        row[_const.choice(columns, 5, replace=False)] = True
    return mask


CSR = sp.csr_array(pattern(12, 90, 0.4).astype(F64))


def csr_dense(data, matrix):
    """The pattern of `matrix` filled with `data`, dense, in longdouble."""
    dense = np.zeros(matrix.shape, LONG)
    coo = matrix.tocoo()
    dense[coo.row, coo.col] = data
    return dense


@add(
    "scipy_csr_vector",
    "scipy.sparse",
    "linear",
    f"csr @ vector, 12 rows x 90 columns, {CSR.nnz} stored values, float64; inputs: the stored values, the vector",
    lambda s: normal(s, CSR.nnz, 90, dtype=F64),
    lambda data, x: csr_dense(data, CSR) @ x,
)
def scipy_csr_vector(data, x):
    return sp.csr_array((data, CSR.indices, CSR.indptr), shape=CSR.shape) @ x


CSR2 = sp.csr_array(pattern(7, 50, 0.5).astype(F32))


@add(
    "scipy_csr_dense",
    "scipy.sparse",
    "linear",
    "csr @ dense matrix (7x50 times 50x6, the second one transposed from 6x50: Fortran order), float32",
    lambda s: normal(s, CSR2.nnz, (6, 50), dtype=F32),
    lambda data, x: csr_dense(data, CSR2) @ x.T,
)
def scipy_csr_dense(data, x):
    return sp.csr_array((data, CSR2.indices, CSR2.indptr), shape=CSR2.shape) @ x.T


CSC = sp.csc_array(pattern(9, 64, 0.6).astype(F32))


@add(
    "scipy_csc_vector",
    "scipy.sparse",
    "linear",
    "csc @ vector, 9 rows x 64 columns, float32; inputs: the stored values (column by column), the vector",
    lambda s: normal(s, CSC.nnz, 64, dtype=F32),
    lambda data, x: csr_dense(data, CSC) @ x,
)
def scipy_csc_vector(data, x):
    return sp.csc_array((data, CSC.indices, CSC.indptr), shape=CSC.shape) @ x


COO_ROWS = _const.integers(0, 25, 160)
COO_COLUMNS = _const.integers(0, 6, 160)


@add(
    "scipy_coo_sum_columns",
    "scipy.sparse",
    "linear",
    "coo.sum(axis=0): 160 unsorted entries with duplicates in 25x6, float64",
    lambda s: normal(s, 160, dtype=F64),
    lambda x: group_totals(x, COO_COLUMNS, 6),
)
def scipy_coo_sum_columns(x):
    return sp.coo_array((x, (COO_ROWS, COO_COLUMNS)), shape=(25, 6)).sum(axis=0)


BSR_A = sp.bsr_array(np.where(np.kron(pattern(4, 15, 0.5), np.ones((2, 3))), _const.standard_normal((8, 45)), 0), blocksize=(2, 3))
BSR_B = sp.bsr_array(np.where(np.kron(pattern(4, 10, 0.5), np.ones((2, 2))), _const.standard_normal((8, 20)), 0), blocksize=(2, 2))


@add(
    "scipy_bsr_two_products",
    "scipy.sparse",
    "coefficients",
    "A @ x + B @ y with constant bsr matrices (blocks 2x3 and 2x2), 8 rows, float64",
    lambda s: normal(s, 45, 20, dtype=F64),
    lambda x, y: BSR_A.toarray().astype(LONG) @ x + BSR_B.toarray().astype(LONG) @ y,
)
def scipy_bsr_two_products(x, y):
    return BSR_A @ x + BSR_B @ y


NORM_MASK = pattern(6, 70, 0.5)


@add(
    "scipy_csr_row_norms",
    "scipy.sparse",
    "nonlinear",
    "Euclidean norm of each row of a csr matrix made from a dense 6x70 array (zeros left out), float64",
    lambda s: (normal(s, (6, 70), dtype=F64)[0] * NORM_MASK,),
    lambda x: np.sqrt((x * x).sum(axis=1)),
)
def scipy_csr_row_norms(x):
    return spla.norm(sp.csr_array(x), axis=1)


# ---------------------------------------------------------------------- numba 6


@numba.njit
def _loop(x):
    total = x.dtype.type(0)
    for i in range(x.size):
        total += x[i]
    return total


@add(
    "numba_loop_reversed",
    "numba",
    "linear",
    "plain loop over 64 values from the last to the first (negative stride), float32",
    lambda s: normal(s, 64, dtype=F32),
    lambda x: x.sum(),
)
def numba_loop_reversed(x):
    return np.float32(_loop(x[::-1]))


@numba.njit(fastmath=True)
def _fast_sum(x):
    total = np.float32(0)
    for value in x:
        total += value
    return total


@add(
    "numba_fastmath_sum",
    "numba",
    "linear",
    "loop with fastmath=True (vectorised by LLVM) over 203 values, float32",
    lambda s: normal(s, 203, dtype=F32),
    lambda x: x.sum(),
)
def numba_fastmath_sum(x):
    return np.float32(_fast_sum(x))


@numba.njit
def _blocked(x, y, block):
    count = (x.size + block - 1) // block
    partial = np.zeros(count, x.dtype)
    for b in range(count):
        for i in range(b * block, min(x.size, (b + 1) * block)):
            partial[b] += x[i] * y[i]
    total = x.dtype.type(0)
    for b in np.argsort(np.abs(partial)):
        total += partial[b]
    return total


@add(
    "numba_blocked_adaptive",
    "numba",
    "unordered",
    "dot product of 120 pairs in blocks of 16; the blocks' sums are added from the smallest magnitude up "
    "(adaptive: fixed inside a block, not between blocks), float64",
    lambda s: normal(s, 120, 120, dtype=F64),
    lambda x, y: x @ y,
)
def numba_blocked_adaptive(x, y):
    return np.float64(_blocked(x, y, 16))


@numba.njit
def _kahan(x):
    total = np.float32(0)
    lost = np.float32(0)
    for value in x:
        term = value - lost
        new = total + term
        lost = (new - total) - term
        total = new
    return total


@add("numba_kahan", "numba", "compensated", "Kahan loop over 80 values, float32", lambda s: normal(s, 80, dtype=F32), lambda x: x.sum())
def numba_kahan(x):
    return np.float32(_kahan(x))


@numba.njit(parallel=True)
def _parallel_sum(x):
    total = 0.0
    for i in numba.prange(x.size):
        total += x[i]
    return total


@add(
    "numba_prange_sum",
    "numba",
    "linear",
    "parallel prange reduction over 250 values with 2 threads (workqueue: a fixed half each), float64",
    lambda s: normal(s, 250, dtype=F64),
    lambda x: x.sum(),
)
def numba_prange_sum(x):
    numba.set_num_threads(2)
    return np.float64(_parallel_sum(x))


@numba.njit
def _numba_dot(a, x):
    return np.dot(a, x)


@add(
    "numba_np_dot",
    "numba",
    "linear",
    "np.dot(matrix, vector) inside njit (scipy's BLAS), 5x88 times 88, float32",
    lambda s: normal(s, (5, 88), 88, dtype=F32),
    lambda a, x: a @ x,
)
def numba_np_dot(a, x):
    return _numba_dot(a, x)


# ---------------------------------------------------------------------- numpy 7


@add(
    "numpy_einsum_rows",
    "numpy",
    "linear",
    "einsum('ij,ji->i') of 5x70 and 70x5 (the second one walked across its rows), float32",
    lambda s: normal(s, (5, 70), (70, 5), dtype=F32),
    lambda a, b: (a * b.T).sum(axis=1),
)
def numpy_einsum_rows(a, b):
    return np.einsum("ij,ji->i", a, b)


@add(
    "numpy_tensordot",
    "numpy",
    "linear",
    "tensordot over two axes: (4,6,11) with (6,11,3), 66 products each, float64",
    lambda s: normal(s, (4, 6, 11), (6, 11, 3), dtype=F64),
    lambda a, b: a.reshape(4, 66) @ b.reshape(66, 3),
)
def numpy_tensordot(a, b):
    return np.tensordot(a, b, axes=([1, 2], [0, 1]))


@add(
    "numpy_inner_strided",
    "numpy",
    "linear",
    "inner(x, y): the inputs themselves are non-contiguous views of 100 values (strides 3 and -1), float32; "
    "contiguous copies of them are added in another order",
    lambda s: strided(*normal(s, 300, 100, dtype=F32)),
    lambda x, y: x @ y,
)
def numpy_inner_strided(x, y):
    return np.inner(x, y)


@add(
    "numpy_convolve_valid",
    "numpy",
    "linear",
    "convolve(mode='valid') of 36 values with a kernel of 21: 16 sums, float64",
    lambda s: normal(s, 36, 21, dtype=F64),
    lambda x, h: np.array([(x[i : i + 21] * h[::-1]).sum() for i in range(16)]),
)
def numpy_convolve_valid(x, h):
    return np.convolve(x, h, mode="valid")


TRAPEZOID_X = np.cumsum(_const.uniform(0.1, 1, 58))


@add(
    "numpy_trapezoid",
    "numpy",
    "coefficients",
    "trapezoid rule over 58 unevenly spaced points for 4 curves, axis=0, float64",
    lambda s: normal(s, (58, 4), dtype=F64),
    lambda y: (np.diff(TRAPEZOID_X.astype(LONG))[:, None] * (y[1:] + y[:-1]) / 2).sum(axis=0),
)
def numpy_trapezoid(y):
    return np.trapezoid(y, TRAPEZOID_X, axis=0)


REDUCEAT = [0, 11, 30, 64]


@add(
    "numpy_add_reduceat",
    "numpy",
    "linear",
    "add.reduceat along axis=1: segments of 11, 19, 34 and 86 of 3 rows of 150, float32",
    lambda s: normal(s, (3, 150), dtype=F32),
    lambda x: np.stack([part.sum(axis=1) for part in np.split(x, REDUCEAT[1:], axis=1)], axis=1),
)
def numpy_add_reduceat(x):
    return np.add.reduceat(x, REDUCEAT, axis=1)


@add(
    "numpy_norm_columns",
    "numpy",
    "nonlinear",
    "linalg.norm(axis=0) of 85x4, float32",
    lambda s: normal(s, (85, 4), dtype=F32),
    lambda x: np.sqrt((x * x).sum(axis=0)),
)
def numpy_norm_columns(x):
    return np.linalg.norm(x, axis=0)


# ------------------------------------------------------------------------ JAX 5


@jax.jit
def _jax_sum_columns(x):
    return jnp.sum(x, axis=0)


@add(
    "jax_sum_columns",
    "jax",
    "linear",
    "jit of jnp.sum(axis=0) of 120x4, float32",
    lambda s: normal(s, (120, 4), dtype=F32),
    lambda x: x.sum(axis=0),
)
def jax_sum_columns(x):
    return np.asarray(_jax_sum_columns(x))


@add("jax_dot", "jax", "linear", "jnp.dot of 5x72 and 72x3, float32", lambda s: normal(s, (5, 72), (72, 3), dtype=F32), lambda a, b: a @ b)
def jax_dot(a, b):
    return np.asarray(jnp.dot(a, b))


@jax.jit
def _jax_sorted_reduce(x):
    ascending = x[jnp.argsort(jnp.abs(x))]
    return jax.lax.reduce(ascending, np.float32(0), jax.lax.add, (0,))


@add(
    "jax_reduce_sorted",
    "jax",
    "unordered",
    "lax.reduce of 50 values sorted by magnitude, float32",
    lambda s: normal(s, 50, dtype=F32),
    lambda x: x.sum(),
)
def jax_reduce_sorted(x):
    return np.asarray(_jax_sorted_reduce(x))


SEGMENTS = _const.permutation(np.repeat(np.arange(4), [8, 15, 27, 40]))


@jax.jit
def _jax_segment_denominators(x):
    largest = jax.ops.segment_max(x, SEGMENTS, num_segments=4)
    return jax.ops.segment_sum(jnp.exp(x - largest[SEGMENTS]), SEGMENTS, num_segments=4)


@add(
    "jax_segment_softmax_denominator",
    "jax",
    "nonlinear",
    "segment_sum of exp(x - segment_max): softmax denominators of 4 interleaved segments of 8 to 40, float32",
    lambda s: normal(s, 90, dtype=F32),
    lambda x: np.array([np.exp(x[k == SEGMENTS] - x[k == SEGMENTS].max()).sum() for k in range(4)]),
)
def jax_segment_softmax_denominator(x):
    return np.asarray(_jax_segment_denominators(x))


@add(
    "jax_associative_scan",
    "jax",
    "linear",
    "lax.associative_scan(jnp.add) of 37 values: 37 prefix sums, float64",
    lambda s: normal(s, 37, dtype=F64),
    lambda x: np.cumsum(x),
)
def jax_associative_scan(x):
    return np.asarray(jax.lax.associative_scan(jnp.add, x))


# --------------------------------------------------------------- ONNX Runtime 4


def ort_session(node, inputs, output, constants=(), element=TensorProto.FLOAT):
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(name, element, shape) for name, shape in inputs],
        [helper.make_tensor_value_info("out", element, output)],
        [numpy_helper.from_array(value, name) for name, value in constants],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


ORT_SUM = ort_session(helper.make_node("ReduceSum", ["x", "axes"], ["out"], keepdims=0), [("x", (6, 150))], (6,), [("axes", np.array([1]))])


@add(
    "onnxruntime_reduce_sum",
    "onnxruntime",
    "linear",
    "ReduceSum over axis 1 of 6x150, float32, 1 thread",
    lambda s: normal(s, (6, 150), dtype=F32),
    lambda x: x.sum(axis=1),
)
def onnxruntime_reduce_sum(x):
    return ORT_SUM.run(None, {"x": x})[0]


ORT_MATMUL = ort_session(helper.make_node("MatMul", ["a", "b"], ["out"]), [("a", (4, 96)), ("b", (96, 5))], (4, 5))


@add(
    "onnxruntime_matmul",
    "onnxruntime",
    "linear",
    "MatMul of 4x96 and 96x5, float32, 1 thread",
    lambda s: normal(s, (4, 96), (96, 5), dtype=F32),
    lambda a, b: a @ b,
)
def onnxruntime_matmul(a, b):
    return ORT_MATMUL.run(None, {"a": a, "b": b})[0]


GEMM_W = _const.standard_normal((7, 40)).astype(F32)
ORT_GEMM = ort_session(
    helper.make_node("Gemm", ["a", "w", "c"], ["out"], alpha=0.3, beta=1.7, transB=1),
    [("a", (5, 40)), ("c", (5, 7))],
    (5, 7),
    [("w", GEMM_W)],
)


@add(
    "onnxruntime_gemm",
    "onnxruntime",
    "coefficients",
    "Gemm: 0.3 * A @ W.T + 1.7 * C with constant weights W (7x40), inputs A (5x40) and C (5x7), float32, 1 thread",
    lambda s: normal(s, (5, 40), (5, 7), dtype=F32),
    lambda a, c: LONG(F32(0.3)) * (a @ GEMM_W.T.astype(LONG)) + LONG(F32(1.7)) * c,
)
def onnxruntime_gemm(a, c):
    return ORT_GEMM.run(None, {"a": a, "c": c})[0]


ORT_MEAN = ort_session(
    helper.make_node("ReduceMean", ["x", "axes"], ["out"], keepdims=0),
    [("x", (60, 7))],
    (7,),
    [("axes", np.array([0]))],
    TensorProto.DOUBLE,
)


@add(
    "onnxruntime_reduce_mean",
    "onnxruntime",
    "coefficients",
    "ReduceMean over axis 0 of 60x7, float64, 1 thread",
    lambda s: normal(s, (60, 7), dtype=F64),
    lambda x: x.sum(axis=0) / 60,
)
def onnxruntime_reduce_mean(x):
    return ORT_MEAN.run(None, {"x": x})[0]


# ------------------------------------------------------------------- OpenVINO 3

OV = ov.Core()
OV_CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def ov_compile(build, *shapes):
    parameters = [ops.parameter(shape, np.float32) for shape in shapes]
    return OV.compile_model(ov.Model([build(*parameters)], parameters), "CPU", OV_CONFIG)


OV_SUM = ov_compile(lambda x: ops.reduce_sum(x, np.array([1, 2]), keep_dims=False), [3, 9, 17])


@add(
    "openvino_reduce_sum",
    "openvino",
    "linear",
    "reduce_sum over axes 1 and 2 of 3x9x17 (153 terms each), float32, 1 thread",
    lambda s: normal(s, (3, 9, 17), dtype=F32),
    lambda x: x.sum(axis=(1, 2)),
)
def openvino_reduce_sum(x):
    return OV_SUM([x])[0]


OV_MATMUL = ov_compile(lambda a, b: ops.matmul(a, b, False, True), [4, 110], [6, 110])


@add(
    "openvino_matmul",
    "openvino",
    "linear",
    "matmul of 4x110 with a transposed 6x110, float32, 1 thread",
    lambda s: normal(s, (4, 110), (6, 110), dtype=F32),
    lambda a, b: a @ b.T,
)
def openvino_matmul(a, b):
    return OV_MATMUL([a, b])[0]


def conv_reference(x, w):
    out = np.zeros((1, 3, 4, 4), LONG)
    for i in range(4):
        for j in range(4):
            out[0, :, i, j] = (w * x[:, :, i : i + 3, j : j + 3]).sum(axis=(1, 2, 3))
    return out


OV_CONV = ov_compile(lambda x, w: ops.convolution(x, w, [1, 1], [0, 0], [0, 0], [1, 1]), [1, 8, 6, 6], [3, 8, 3, 3])


@add(
    "openvino_conv",
    "openvino",
    "linear",
    "convolution of 1x8x6x6 with 3 filters of 8x3x3 (72 products each), both inputs, float32, 1 thread",
    lambda s: normal(s, (1, 8, 6, 6), (3, 8, 3, 3), dtype=F32),
    conv_reference,
)
def openvino_conv(x, w):
    return OV_CONV([x, w])[0]


def difference(entry, result, inputs):
    """The largest difference from the reference, relative to its largest value."""
    reference = np.asarray(REFERENCES[entry.id](*(x.astype(LONG) for x in inputs)))
    assert reference.shape == np.shape(result), (entry.id, reference.shape, np.shape(result))
    return float(np.abs(np.asarray(result).astype(LONG) - reference).max() / np.abs(reference).max())


def main():
    assert len(FUNCTIONS) == 48 and len(REFERENCES) == 48
    print("A: max |result - reference| / max |reference| over 3 seeds, reference in longdouble (large where a sum nearly cancels)")
    print("B: the same on the inputs' absolute values, where a plain sum cannot cancel; the verdict is B's and that 21 runs agree")
    for entry in FUNCTIONS:
        plain = positive = 0.0
        same = True
        for seed in range(3):
            function, inputs = entry.make(seed)
            before = [x.copy() for x in inputs]
            result = function(*inputs)
            same &= all(np.array_equal(result, function(*inputs)) for _ in range(20))
            assert all(np.array_equal(x, y) for x, y in zip(inputs, before)), entry.id
            plain = max(plain, difference(entry, result, inputs))
            magnitudes = tuple(np.abs(x) for x in inputs)
            positive = max(positive, difference(entry, function(*magnitudes), magnitudes))
        limit = 1e-5 if any(x.dtype == F32 for x in inputs) else 1e-14
        verdict = ("ok" if positive < limit else "FAR") + ("" if same else " VARIES")
        given = ", ".join(f"{x.dtype}{list(x.shape)}" for x in inputs)
        print(
            f"{entry.id:32s} {entry.library:12s} {entry.kind:12s} {type(result).__name__:7s} "
            f"{result.dtype!s:7s} {np.shape(result)!s:12s} A {plain:.1e} B {positive:.1e} {verdict}  <- {given}"
        )


if __name__ == "__main__":
    main()
