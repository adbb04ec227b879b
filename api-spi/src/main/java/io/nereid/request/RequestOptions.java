package io.nereid.request;

import java.util.Map;

/**
 * What a request says beside its tensors.
 *
 * @param priority 1 is highest; 0 asks for the model's default
 * @param timeoutMicros how long the request may wait in a queue; 0 sets no limit
 * @param parameters all others, for the model to read
 */
public record RequestOptions(
    SequenceId sequenceId,
    boolean sequenceStart,
    boolean sequenceEnd,
    long priority,
    long timeoutMicros,
    Map<String, Parameter> parameters) {
  /** No sequence, default priority, no timeout, no parameters. */
  public static final RequestOptions NONE =
      new RequestOptions(SequenceId.NONE, false, false, 0, 0, Map.of());

  public RequestOptions {
    parameters = Map.copyOf(parameters);
  }
}
