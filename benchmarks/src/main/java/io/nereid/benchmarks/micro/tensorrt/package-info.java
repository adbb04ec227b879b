/**
 * Micro-benchmarks of the TensorRT backend, on doubles of CUDA and TensorRT that are compiled from
 * C: they say what Java adds to the native calls, and nothing of a GPU.
 */
@NullMarked
package io.nereid.benchmarks.micro.tensorrt;

import org.jspecify.annotations.NullMarked;
