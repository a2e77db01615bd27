cdef class System:
    cdef const int[::1] first, second
    cdef const double[::1] score, ahead
    cdef const long long[::1] start, actions
    cdef double[::1] expected
    cdef double[:, ::1] before, change

    cdef void enter(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil
    cdef void predict(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil
    cdef void learn(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil
    cdef void settle(self, Py_ssize_t g, Py_ssize_t slot, Py_ssize_t period) noexcept nogil
    cdef void _replay(self) noexcept nogil

    cdef inline Py_ssize_t player(self, Py_ssize_t g, int side) noexcept nogil:
        return self.second[g] if side else self.first[g]


cdef class Summing(System):
    cdef double[::1] gain, information
    cdef unsigned char[::1] waiting

    cdef void update(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil


cdef class Glicko2(Summing):
    cdef double tau, active, oldest, zero
    cdef const double[::1] time, limits, ratio
    cdef double[::1] mu, phi2, volatility, last

    cdef double aged(self, Py_ssize_t p, Py_ssize_t period) noexcept nogil


cdef double shrink(double variance) noexcept nogil
cpdef double new_volatility(
    double phi2, double volatility, double v, double delta, double tau
) noexcept nogil
