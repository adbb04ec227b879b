/**
 * Tests of what a machine has: NVIDIA's own libraries without a GPU (tag {@code trt-lib}), a GPU
 * with its driver (tag {@code gpu}), and a GPU with TensorRT (tag {@code gpu-trt}). No build runs
 * them; {@code make tensorrt-library}, {@code make gpu} and {@code make gpu-trt} do. A test that
 * misses something fails and says what.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.machine;
