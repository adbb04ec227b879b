package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Check;
import io.nereid.tensorrt.library.GpuReport;
import io.nereid.tensorrt.library.NativeLibraries;
import java.util.List;

/** The provider of the backend {@code tensorrt}. */
public final class TensorRtBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "tensorrt";
  }

  /**
   * Opens the backend.
   *
   * @throws InferenceException UNAVAILABLE if this machine has no GPU, or lacks a library; the
   *     message names cause and cure
   */
  @Override
  public Backend open(BackendContext context) {
    return TensorRtBackend.open(context.options());
  }

  @Override
  public boolean sharesDeviceMemory() {
    return true;
  }

  @Override
  public List<Check> check(BackendContext context) {
    return GpuReport.checks(NativeLibraries.probe(context.options()));
  }
}
