package io.nereid.spi;

import io.nereid.error.InferenceException;

/**
 * Where a backend begins: found by {@link java.util.ServiceLoader}, one provider a backend. It
 * needs a public constructor without parameters, which must be cheap: native libraries are loaded
 * in {@link #open}.
 */
public interface BackendProvider {
  /**
   * The name that {@code backend:} in a {@code config.pbtxt} asks for, such as {@code onnxruntime}.
   */
  String name();

  /**
   * Opens the backend: once in a server's life, when the first model needs it.
   *
   * @throws InferenceException if it cannot work here; the message says what is missing, and
   *     becomes the reason why its models are unavailable
   */
  Backend open(BackendSettings settings);
}
