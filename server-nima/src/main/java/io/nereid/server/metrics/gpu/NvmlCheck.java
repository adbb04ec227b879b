package io.nereid.server.metrics.gpu;

import io.nereid.spi.Check;
import java.util.List;
import java.util.Optional;

/** Whether the metrics of GPUs will be there; may block for as long as the driver does. */
public final class NvmlCheck {
  private NvmlCheck() {}

  /** The state of this machine's NVML; empty if there is no such library. */
  public static Optional<Check> run() {
    return run(NvmlLibrary.NAME, Optional.ofNullable(System.getenv("CUDA_VISIBLE_DEVICES")));
  }

  static Optional<Check> run(String name, Optional<String> visible) {
    return NvmlLibrary.open(name).map(library -> check(name, library, visible));
  }

  private static Check check(String name, NvmlLibrary library, Optional<String> visible) {
    String subject = "metrics of GPUs";
    try (NvmlGpus gpus = NvmlGpus.open(library, visible)) {
      List<String> uuids = gpus.uuids();
      return Check.ok(
          subject,
          uuids.isEmpty()
              ? "%s reports no visible GPU".formatted(name)
              : "%s reports %s".formatted(name, String.join(", ", uuids)));
    } catch (NvmlException failed) {
      return Check.warning(
          subject,
          "%s cannot be used: %s".formatted(name, failed.getMessage()),
          "see whether nvidia-smi works, or start with --allow-gpu-metrics=false");
    }
  }
}
