package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.util.List;

/**
 * A factory for one backend, found by {@link java.util.ServiceLoader}. It needs a public
 * constructor without parameters, which must be cheap: the server creates every provider that it
 * finds. {@link #open} is the place to load native libraries.
 */
public interface BackendProvider {
  /** The backend's name in {@code config.pbtxt} ({@code backend:}), such as {@code onnxruntime}. */
  String name();

  /**
   * Other names by which configurations may call the backend, such as that of the backend of Triton
   * whose models it runs. A model keeps the name that its configuration has.
   */
  default List<String> aliases() {
    return List.of();
  }

  /**
   * Opens the backend. Called at most once in the life of a server, for the first model that needs
   * it, or for a client's memory if {@link #sharesDeviceMemory} is true.
   *
   * @param context also to be kept, until the backend is closed
   * @throws InferenceException if the backend cannot work on this machine; the message names what
   *     is missing and becomes the reason why its models are unavailable
   */
  Backend open(BackendContext context);

  /**
   * Whether {@link Backend#openSharedMemory} works. When a client registers memory of a GPU, the
   * server opens the first such backend, by name, that can be opened.
   */
  default boolean sharesDeviceMemory() {
    return false;
  }

  /**
   * Checks what the backend needs of this machine, for the command {@code doctor}: libraries,
   * devices, drivers. It does not open the backend, though it may load native libraries; the
   * process serves nothing and ends soon.
   *
   * @return what was found, in the order in which it is to be read; none if the backend needs
   *     nothing
   */
  default List<Check> check(BackendContext context) {
    return List.of();
  }
}
