package io.nereid.engine.model.control;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of a request to load a model.
 *
 * @param config a configuration in JSON that replaces the file's
 * @param files contents of a model directory that replaces the repository's, by path below the
 *     model directory, such as {@code 1/model.onnx}; needs {@code config}
 */
public record LoadParameters(Optional<String> config, Map<String, ByteBuffer> files) {
  /** Loads what is in the repository. */
  public static final LoadParameters NONE = new LoadParameters(Optional.empty(), Map.of());

  public LoadParameters {
    files = Map.copyOf(files);
  }
}
