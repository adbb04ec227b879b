package io.nereid.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.BackendSettings;

/**
 * Answers for the backend name {@code tensorrt}, so that a model which asks for it is told why it
 * cannot run instead of that nobody knows the name.
 */
public final class TensorRtBackendProvider implements BackendProvider {
  @Override
  public String name() {
    return "tensorrt";
  }

  /**
   * Always refuses: this build holds no bindings of the CUDA and TensorRT libraries.
   *
   * @throws InferenceException UNAVAILABLE, with what is missing and what can be served instead
   */
  @Override
  public Backend open(BackendSettings settings) {
    throw InferenceException.unavailable(
        "backend 'tensorrt' cannot run engines: this build has no bindings of the CUDA and"
            + " TensorRT libraries; a model in ONNX form runs with backend 'onnxruntime'");
  }
}
