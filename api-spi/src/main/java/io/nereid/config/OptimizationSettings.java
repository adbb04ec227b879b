package io.nereid.config;

import java.util.List;
import java.util.Map;

/**
 * {@code optimization}: the part of it that backends read.
 *
 * @param graphLevel {@code graph.level}: -1 for basic, 1 for extended, 0 for all graph
 *     optimisations
 * @param gpuAccelerators in order of preference
 * @param cpuAccelerators in order of preference
 */
public record OptimizationSettings(
    int graphLevel, List<Accelerator> gpuAccelerators, List<Accelerator> cpuAccelerators) {
  /** All optimisations, no accelerator. */
  public static final OptimizationSettings DEFAULT =
      new OptimizationSettings(0, List.of(), List.of());

  public OptimizationSettings {
    gpuAccelerators = List.copyOf(gpuAccelerators);
    cpuAccelerators = List.copyOf(cpuAccelerators);
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
