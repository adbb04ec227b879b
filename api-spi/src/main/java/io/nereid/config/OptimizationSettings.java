package io.nereid.config;

import java.util.List;
import java.util.Map;

/**
 * {@code optimization}: what backends read of a model's optimisation policy.
 *
 * @param graphLevel {@code graph.level}: -1 for basic, 1 for extended, 0 for all graph
 *     optimisations
 * @param priority of the model's work on its device
 * @param gpuAccelerators in order of preference
 * @param cpuAccelerators in order of preference
 * @param cuda how the model runs on a GPU
 * @param inputPinnedMemory whether inputs go through page-locked memory to a GPU
 * @param outputPinnedMemory whether outputs go through page-locked memory from a GPU
 * @param gatherKernelBufferThreshold the number of requests in a batch from which a kernel on the
 *     GPU may gather the inputs; 0 for never
 * @param eagerBatching whether the next batch is formed before the inputs of the one before were
 *     read
 */
public record OptimizationSettings(
    int graphLevel,
    Priority priority,
    List<Accelerator> gpuAccelerators,
    List<Accelerator> cpuAccelerators,
    CudaSettings cuda,
    boolean inputPinnedMemory,
    boolean outputPinnedMemory,
    long gatherKernelBufferThreshold,
    boolean eagerBatching) {
  /** All optimisations, no accelerator, page-locked memory. */
  public static final OptimizationSettings DEFAULT =
      new OptimizationSettings(
          0, Priority.DEFAULT, List.of(), List.of(), CudaSettings.DEFAULT, true, true, 0, false);

  public OptimizationSettings {
    gpuAccelerators = List.copyOf(gpuAccelerators);
    cpuAccelerators = List.copyOf(cpuAccelerators);
  }

  /** {@code priority}: how a device orders the work of several models. */
  public enum Priority {
    DEFAULT,
    MAX,
    MIN
  }

  /**
   * An execution accelerator.
   *
   * @param name as the backend defines it, such as {@code openvino}
   */
  public record Accelerator(String name, Map<String, String> parameters) {
    public Accelerator {
      parameters = Map.copyOf(parameters);
    }
  }
}
