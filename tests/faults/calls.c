/* Counts the calls by which a process changes files below a folder, and disturbs some of them.
 *
 * Preloaded by tests/faults/victim.py. `arm` begins: each call after it adds a letter to a log,
 * and those from the first number to the last whose letter is among the given ones fail with the
 * given error, and do nothing; or, if that is below 0, the process sends itself that signal before
 * the call. w: write, f: fsync, r: rename or link, u: removal, o: a file opened to be made or
 * emptied, m: a folder made, t: truncation or room taken, c: rights.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char below[PATH_MAX];
static size_t length;
static long from, until;
static char among[16];
static int answer;
static int record = -1;
static atomic_long calls;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void arm(const char *folder, long first, long last, const char *letters, int error, int log) {
    strncpy(below, folder, sizeof below - 1);
    length = strlen(below);
    strncpy(among, letters, sizeof among - 1);
    from = first;
    until = last;
    answer = error;
    atomic_store(&calls, 0);
    record = log;
}

static int fails(const char *path, char letter) {
    if (record < 0 || path == NULL || (path[0] == '/' && strncmp(path, below, length) != 0))
        return 0; /* a relative name is one below the folder, in which the command runs */
    int before = errno;
    if (REAL(write)(record, &letter, 1) < 0)
        _exit(71);
    errno = before;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number < from || number > until || strchr(among, letter) == NULL)
        return 0;
    if (answer < 0) {
        kill(getpid(), -answer);
        errno = before;
        return 0;
    }
    errno = answer;
    return 1;
}

static int file_fails(int file, char letter) {
    char link[64], path[PATH_MAX];
    if (record < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size < 0 ? 0 : size] = 0;
    return path[0] == '/' && fails(path, letter);
}

#define OF_FILE(name, type, letter, parameters, arguments)                                         \
    type name parameters { return file_fails(file, letter) ? -1 : REAL(name) arguments; }
#define OF_PATH(name, letter, parameters, arguments)                                               \
    int name parameters { return fails(path, letter) ? -1 : REAL(name) arguments; }

OF_FILE(write, ssize_t, 'w', (int file, const void *data, size_t size), (file, data, size))
OF_FILE(pwrite, ssize_t, 'w', (int file, const void *data, size_t size, off_t at),
        (file, data, size, at))
OF_FILE(pwrite64, ssize_t, 'w', (int file, const void *data, size_t size, off64_t at),
        (file, data, size, at))
OF_FILE(writev, ssize_t, 'w', (int file, const struct iovec *parts, int number),
        (file, parts, number))
OF_FILE(fsync, int, 'f', (int file), (file))
OF_FILE(fdatasync, int, 'f', (int file), (file))
OF_FILE(ftruncate, int, 't', (int file, off_t size), (file, size))
OF_FILE(ftruncate64, int, 't', (int file, off64_t size), (file, size))
OF_FILE(fchmod, int, 'c', (int file, mode_t mode), (file, mode))
OF_PATH(rename, 'r', (const char *path, const char *to), (path, to))
OF_PATH(link, 'r', (const char *path, const char *to), (path, to))
OF_PATH(unlink, 'u', (const char *path), (path))
OF_PATH(rmdir, 'u', (const char *path), (path))
OF_PATH(mkdir, 'm', (const char *path, mode_t mode), (path, mode))
OF_PATH(chmod, 'c', (const char *path, mode_t mode), (path, mode))
OF_PATH(truncate, 't', (const char *path, off_t size), (path, size))

int unlinkat(int folder, const char *path, int flags) {
    return (path[0] == '/' ? fails(path, 'u') : file_fails(folder, 'u'))
               ? -1 : REAL(unlinkat)(folder, path, flags);
}

int posix_fallocate(int file, off_t from, off_t size) {
    return file_fails(file, 't') ? answer : REAL(posix_fallocate)(file, from, size);
}

int posix_fallocate64(int file, off64_t from, off64_t size) {
    return file_fails(file, 't') ? answer : REAL(posix_fallocate64)(file, from, size);
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                    \
        va_end(rest);                                                                              \
        if (flags & (O_CREAT | O_TRUNC) && fails(path, 'o'))                                       \
            return -1;                                                                             \
        return REAL(name)(path, flags, mode);                                                      \
    }

OPEN(open)
OPEN(open64)
