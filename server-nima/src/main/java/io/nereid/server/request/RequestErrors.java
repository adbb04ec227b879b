package io.nereid.server.request;

import io.nereid.error.InferenceException;

/** The failures that JSON and protobuf requests share, in Triton's words. */
public final class RequestErrors {
  private RequestErrors() {}

  public static InferenceException duplicateInput(String requestId, String name) {
    return duplicate(requestId, "input", name);
  }

  public static InferenceException duplicateOutput(String requestId, String name) {
    return duplicate(requestId, "output", name);
  }

  private static InferenceException duplicate(String requestId, String kind, String name) {
    return InferenceException.invalid(
        "%s%s '%s' already exists in request".formatted(RequestIds.prefix(requestId), kind, name));
  }

  public static InferenceException unknownRegion(String name) {
    return InferenceException.notFound("Unable to find shared memory region: '%s'".formatted(name));
  }
}
