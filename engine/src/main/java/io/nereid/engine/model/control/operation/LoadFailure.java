package io.nereid.engine.model.control.operation;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Why a model was not loaded.
 *
 * @param versions the failures of single versions, ascending; empty if it failed before
 * @param reason why it failed before its versions were known, else empty
 * @param message {@code reason} without the name of the status
 * @param code the status of a client's request
 * @param filesChanged whether another attempt may succeed, since files were changed during this one
 */
public record LoadFailure(
    NavigableMap<Long, String> versions,
    String reason,
    String message,
    StatusCode code,
    boolean filesChanged) {
  /** A failure of single versions, by version. */
  public static LoadFailure of(Map<Long, InferenceException> failures) {
    var versions = new TreeMap<Long, String>();
    failures.forEach((version, failure) -> versions.put(version, failure.reason()));
    boolean noMemory = failures.values().stream().anyMatch(LoadFailure::isOfMemory);
    return new LoadFailure(
        Collections.unmodifiableNavigableMap(versions),
        "",
        "",
        noMemory ? StatusCode.UNAVAILABLE : StatusCode.INVALID_ARGUMENT,
        false);
  }

  /**
   * What was thrown as a failure with its status. A lack of memory is one of the server, whatever
   * has met it.
   */
  public static InferenceException known(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return new InferenceException(
            StatusCode.UNAVAILABLE,
            "the server has too little memory to load it: " + cause.getMessage(),
            cause);
      }
    }
    return thrown instanceof InferenceException known
        ? known
        : new InferenceException(StatusCode.INTERNAL, String.valueOf(thrown), thrown);
  }

  /** Whether another attempt with the same files may succeed. */
  boolean mayPass() {
    return filesChanged || code == StatusCode.UNAVAILABLE;
  }

  public static boolean isOfMemory(InferenceException failure) {
    return failure.getCause() instanceof OutOfMemoryError;
  }

  /** A failure of the model as a whole. */
  public static LoadFailure of(InferenceException failure) {
    return of(failure, false);
  }

  private static LoadFailure of(InferenceException failure, boolean filesChanged) {
    return new LoadFailure(
        Collections.emptyNavigableMap(),
        failure.reason(),
        failure.getMessage(),
        StatusCode.INVALID_ARGUMENT,
        filesChanged);
  }

  /** The failure of a model whose files were changed while they were read. */
  static LoadFailure changedFiles(String model) {
    return of(
        InferenceException.unavailable(
            "the files of model '%s' were changed while it was loading".formatted(model)),
        true);
  }

  /** The failure for the operator of the server: the first one of its versions, if it has any. */
  public String text() {
    return versions.isEmpty() ? message : versions.firstEntry().getValue();
  }

  /** The failure as the response to a request to load the model, with Triton's message. */
  public InferenceException response(String model) {
    String text =
        versions.isEmpty()
            ? message
            : versions.entrySet().stream()
                .map(version ->
                    "version %d is at UNAVAILABLE state: %s;"
                        .formatted(version.getKey(), version.getValue()))
                .collect(Collectors.joining());
    return new InferenceException(code, "load failed for model '%s': %s\n".formatted(model, text));
  }
}
