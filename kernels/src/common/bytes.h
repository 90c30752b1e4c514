/* bytes.h: words in memory, in the byte orders of the standards, and rotations. Every function is
 * one or two instructions on current CPUs. */
#ifndef CUPEL_BYTES_H
#define CUPEL_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && !defined(CUPEL_PORTABLE_ONLY)
#define CUPEL_X86 1
#endif
#if defined(__aarch64__) && !defined(CUPEL_PORTABLE_ONLY)
#define CUPEL_ARM 1
#endif

/* For a function some of whose arguments are constants in each call and must be constants in its
 * body, too. */
#define INLINED static inline __attribute__((always_inline))

/* For the variants of such a function: clang would otherwise make one of them, with an argument
 * that is not a constant. */
#define VARIANT static __attribute__((noinline))

/* For a loop over registers: all of it, so that every index is a constant. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 80")
#endif

/* The variable is kept in memory, for one that would take a register from another that is needed
 * sooner. */
#define IN_MEMORY(x) __asm__("" : "+m"(x))

static inline uint32_t rotl32(uint32_t x, unsigned n) {
    return x << n | x >> (32 - n);
}

static inline uint32_t rotr32(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static inline uint64_t rotl64(uint64_t x, unsigned n) {
    return x << n | x >> (64 - n);
}

/* Shifts instead of a cast: correct on any CPU and at any address. Compilers turn them into a load
 * and a byte swap. */
static inline uint32_t load_be32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void store_be32(uint8_t *at, uint32_t x) {
    at[0] = (uint8_t)(x >> 24);
    at[1] = (uint8_t)(x >> 16);
    at[2] = (uint8_t)(x >> 8);
    at[3] = (uint8_t)x;
}

static inline void store_be64(uint8_t *at, uint64_t x) {
    store_be32(at, (uint32_t)(x >> 32));
    store_be32(at + 4, (uint32_t)x);
}

static inline uint64_t load_le64(const uint8_t *at) {
    return (uint64_t)at[7] << 56 | (uint64_t)at[6] << 48 | (uint64_t)at[5] << 40 |
           (uint64_t)at[4] << 32 | (uint64_t)at[3] << 24 | (uint64_t)at[2] << 16 |
           (uint64_t)at[1] << 8 | at[0];
}

static inline void store_le64(uint8_t *at, uint64_t x) {
    at[0] = (uint8_t)x;
    at[1] = (uint8_t)(x >> 8);
    at[2] = (uint8_t)(x >> 16);
    at[3] = (uint8_t)(x >> 24);
    at[4] = (uint8_t)(x >> 32);
    at[5] = (uint8_t)(x >> 40);
    at[6] = (uint8_t)(x >> 48);
    at[7] = (uint8_t)(x >> 56);
}

#endif
