package io.nereid.onnx;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;

/** The provider of the backend {@code onnxruntime}. */
public final class OnnxBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "onnxruntime";
  }

  @Override
  public Backend open(BackendSettings settings) {
    return OnnxBackend.open(settings);
  }
}
