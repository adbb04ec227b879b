package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;
import io.nereid.spi.Check;
import io.nereid.tensorrt.library.GpuReport;
import io.nereid.tensorrt.library.NativeLibraries;
import java.util.List;

/**
 * The provider of the backend {@code tensorrt}. It makes a model that asks for this backend fail
 * with the reason instead of an unknown name.
 */
public final class TensorRtBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "tensorrt";
  }

  /**
   * Always fails, because this build has no bindings of the CUDA and TensorRT libraries.
   *
   * @throws InferenceException UNAVAILABLE; the message names an alternative
   */
  @Override
  public Backend open(BackendSettings settings) {
    throw InferenceException.unavailable(
        "backend 'tensorrt' cannot run engines: this build has no bindings of the CUDA and"
            + " TensorRT libraries; a model in ONNX form runs with backend 'onnxruntime'");
  }

  @Override
  public List<Check> check(BackendSettings settings) {
    return GpuReport.checks(NativeLibraries.probe(settings.options()));
  }
}
