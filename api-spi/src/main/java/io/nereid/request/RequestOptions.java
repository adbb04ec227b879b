package io.nereid.request;

import java.util.Map;

/**
 * The parameters of a request. Those that the protocol defines have a component of their own.
 *
 * @param sequenceId the correlation id
 * @param priority 1 for the highest level; 0 for the model's default
 * @param timeoutMicros how long the request may wait in a queue; 0 for the model's default
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
