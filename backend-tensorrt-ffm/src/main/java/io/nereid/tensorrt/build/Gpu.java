package io.nereid.tensorrt.build;

/**
 * The device that a plan is for.
 *
 * @param id number of the CUDA device
 * @param name such as {@code NVIDIA H100 80GB HBM3}
 * @param computeCapability such as {@code 9.0}
 */
public record Gpu(int id, String name, String computeCapability) {}
