"""The logistic law inside loops; for arrays see `laws`."""

from libc.math cimport exp, fabs


cdef inline double logistic(double x) noexcept nogil:
    """1/(1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


cdef inline (double, double) win_and_loss(double x) noexcept nogil:
    """`logistic` and the rest to 1, the smaller one without cancellation."""
    cdef double t = exp(-fabs(x))
    cdef double big = 1.0 / (1.0 + t)
    cdef double small = t * big
    return (big, small) if x >= 0.0 else (small, big)
