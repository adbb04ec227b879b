package io.nereid.tensorrt.library;

import io.nereid.spi.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a search has found, for people: a line for the log, and checks for {@code doctor}. */
public final class GpuReport {
  private GpuReport() {}

  /** One line with versions and devices. */
  public static String line(GpuSupport.Available found) {
    List<String> devices = found.devices().stream().map(GpuReport::describe).toList();
    return "TensorRT %s (%s), CUDA runtime %s, driver for CUDA %s, %s"
        .formatted(
            found.tensorRtText(),
            found.nvinfer().path(),
            found.runtimeText(),
            found.driverText(),
            String.join("; ", devices));
  }

  /** A check for each library and device; only one if something is missing. */
  public static List<Check> checks(GpuSupport support) {
    return switch (support) {
      case GpuSupport.Available found -> checks(found);
      case GpuSupport.Unavailable(Lack lack) ->
          List.of(
              Check.unavailable("GPU", GpuSupport.Unavailable.PREFIX + lack.cause(), lack.cure()));
    };
  }

  private static List<Check> checks(GpuSupport.Available found) {
    List<Check> checks = new ArrayList<>();
    checks.add(Check.ok("CUDA driver", "for CUDA " + found.driverText()));
    checks.add(
        Check.ok("CUDA runtime", "%s, %s".formatted(found.runtimeText(), found.cudart().path())));
    for (GpuDevice device : found.devices()) {
      checks.add(Check.ok("GPU", describe(device)));
    }
    checks.add(
        Check.ok("TensorRT", "%s, %s".formatted(found.tensorRtText(), found.nvinfer().path())));
    checks.add(
        optional(
            "ONNX parser", found.onnxParser(), "; only plans that are built from ONNX need it"));
    checks.add(
        optional(
            "TensorRT plugins", found.plugins(), "; only plans with NVIDIA's plugins need it"));
    return checks;
  }

  private static Check optional(
      String subject, GpuSupport.OptionalLibrary library, String consequence) {
    return library
        .lack()
        .map(lack -> Check.warning(subject, lack.cause() + consequence, lack.cure()))
        .orElseGet(() -> Check.ok(subject, library.library().orElseThrow().path()));
  }

  private static String describe(GpuDevice device) {
    return String.format(
        Locale.ROOT,
        "%d: %s, %.1f GiB, compute capability %s",
        device.id(),
        device.name(),
        device.memoryBytes() / (double) (1L << 30),
        device.computeCapability());
  }
}
