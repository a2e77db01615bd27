"""The normal law over arrays: the import of scipy takes longer than most commands."""

from libc.math cimport M_PI, erfc, log, log1p, sqrt

#: Below this the logarithm is that of the asymptotic series; so many of its terms are exact.
cdef double FAR = -30.0
cdef int TERMS = 7


def fill(const double[::1] x, double[::1] out, bint logarithm):
    """Write the normal probability of a value below each `x`, or its logarithm."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(x.shape[0]):
            out[k] = log_below(x[k]) if logarithm else 0.5 * erfc(-x[k] / sqrt(2.0))


cdef double log_below(double x) noexcept nogil:
    cdef double term = 1.0, total = 1.0
    cdef int k
    if x > -1.0:
        return log1p(-0.5 * erfc(x / sqrt(2.0)))
    if not x < FAR:  # NaN as well
        return log(0.5 * erfc(-x / sqrt(2.0)))
    for k in range(TERMS):
        term *= -(2 * k + 1) / (x * x)
        total += term
    return -0.5 * x * x - log(-x) - 0.5 * log(2.0 * M_PI) + log(total)
