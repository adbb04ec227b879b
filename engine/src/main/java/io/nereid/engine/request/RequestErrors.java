package io.nereid.engine.request;

import io.nereid.error.InferenceException;

/** The texts of errors that several packages share, in Triton's words. */
public final class RequestErrors {
  private RequestErrors() {}

  /** {@code "[request id: <id>] "}, with Triton's substitute for an empty id. */
  public static String prefix(String id) {
    return "[request id: " + (id.isEmpty() ? "<id_unknown>" : id) + "] ";
  }

  public static InferenceException duplicateInput(String requestId, String name) {
    return duplicate(requestId, "input", name);
  }

  public static InferenceException duplicateOutput(String requestId, String name) {
    return duplicate(requestId, "output", name);
  }

  private static InferenceException duplicate(String requestId, String kind, String name) {
    return InferenceException.invalid(
        "%s%s '%s' already exists in request".formatted(prefix(requestId), kind, name));
  }
}
