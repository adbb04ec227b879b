package io.nereid.spi;

import io.nereid.error.InferenceException;

/**
 * A factory for one backend, found by {@link java.util.ServiceLoader}. It needs a public
 * constructor without parameters, which must be cheap: the server creates every provider that it
 * finds. {@link #open} is the place to load native libraries.
 */
public interface BackendProvider {
  /** The backend's name in {@code config.pbtxt} ({@code backend:}), such as {@code onnxruntime}. */
  String name();

  /**
   * Opens the backend. Called at most once in the life of a server, for the first model that needs
   * it.
   *
   * @throws InferenceException if the backend cannot work on this machine; the message names what
   *     is missing and becomes the reason why its models are unavailable
   */
  Backend open(BackendSettings settings);
}
