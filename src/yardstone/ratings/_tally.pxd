cdef class Counts:
    cdef const double[::1] numbers
    cdef const unsigned char[::1] bytes
    cdef const unsigned short[::1] shorts
    cdef const unsigned int[::1] ints
    cdef int size

    cdef inline double at(self, Py_ssize_t k) noexcept nogil:
        if self.size == 8:
            return self.numbers[k]
        if self.size == 1:
            return self.bytes[k]
        return self.shorts[k] if self.size == 2 else self.ints[k]
