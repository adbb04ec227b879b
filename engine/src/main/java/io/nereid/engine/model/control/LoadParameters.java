package io.nereid.engine.model.control;

import io.nereid.engine.memory.ClientKey;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;

/**
 * The parameters of a request to load a model.
 *
 * @param config a configuration in JSON that replaces the file's
 * @param files contents of a model directory that replaces the repository's, by path below the
 *     model directory, such as {@code 1/model.onnx}; needs {@code config}
 * @param client whose share of loads it takes; empty for the program itself, which has no share
 */
public record LoadParameters(
    Optional<String> config, Map<String, ByteBuffer> files, Optional<ClientKey> client) {
  /** Loads what is in the repository. */
  public static final LoadParameters NONE = new LoadParameters(Optional.empty(), Map.of());

  public LoadParameters {
    files = Map.copyOf(files);
  }

  /** Parameters of a request of no client. */
  public LoadParameters(Optional<String> config, Map<String, ByteBuffer> files) {
    this(config, files, Optional.empty());
  }

  /** The same of a client. */
  public LoadParameters of(ClientKey asking) {
    return new LoadParameters(config, files, Optional.of(asking));
  }
}
