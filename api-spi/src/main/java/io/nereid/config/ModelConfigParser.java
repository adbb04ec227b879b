package io.nereid.config;

import java.nio.file.Path;

/**
 * Reads the configuration of a model as the server does. The engine provides one by {@link
 * java.util.ServiceLoader}, so that tests of a backend start from a {@code config.pbtxt}: put
 * {@code io.nereid:nereid-engine} on their class path. Backends get a {@link ModelConfig} and need
 * none. Any thread may use it.
 */
public interface ModelConfigParser {
  /**
   * Reads {@code config.pbtxt}, adds the server's defaults, and applies the rules that do not
   * depend on a backend. {@link io.nereid.spi.Backend#complete} is not called.
   *
   * @param modelDirectory its last element is the model's name
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT with the file, line, column and
   *     field of the first problem
   */
  ModelConfig parse(Path modelDirectory);

  /**
   * As the other, for a text that is in no file.
   *
   * @param modelDirectory exists; its last element is the model's name
   * @param text as of {@code config.pbtxt}
   * @param source what the text is, for messages
   * @throws io.nereid.error.InferenceException INVALID_ARGUMENT with the source and all problems,
   *     each with its line and column
   */
  ModelConfig parse(Path modelDirectory, String text, String source);
}
