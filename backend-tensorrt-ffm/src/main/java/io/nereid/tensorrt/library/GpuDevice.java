package io.nereid.tensorrt.library;

/**
 * A GPU that CUDA shows.
 *
 * @param id from 0, in CUDA's order
 * @param name such as {@code NVIDIA H100 PCIe}
 * @param computeCapability such as {@code 9.0}
 * @param memoryBytes all of the device's memory
 */
public record GpuDevice(int id, String name, String computeCapability, long memoryBytes) {}
