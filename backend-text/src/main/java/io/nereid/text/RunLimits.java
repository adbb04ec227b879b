package io.nereid.text;

import io.nereid.config.ModelConfig;
import io.nereid.text.folder.TextParameters;

/**
 * What the graph of a model runs together at most.
 *
 * @param texts or pairs
 * @param tokens of several texts, padding included
 */
record RunLimits(int texts, long tokens) {
  private static final int MAX_TEXTS = 32;
  private static final int MAX_TOKENS = 16_384;

  static RunLimits of(ModelConfig config) {
    var parameters = new TextParameters(config);
    boolean isAlone = parameters.flag(TextParameters.ONE_TEXT_PER_RUN).orElse(false);
    int texts = parameters.count(TextParameters.MAX_BATCH_TEXTS).orElse(MAX_TEXTS);
    return new RunLimits(
        isAlone ? 1 : texts, parameters.count(TextParameters.MAX_BATCH_TOKENS).orElse(MAX_TOKENS));
  }
}
