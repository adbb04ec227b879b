package io.nereid.engine.model.control;

import io.nereid.error.InferenceException;
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
 * @param filesChanged whether another attempt may succeed, since files were changed during this one
 */
record LoadFailure(
    NavigableMap<Long, String> versions, String reason, String message, boolean filesChanged) {
  /** A failure of single versions, by version. */
  static LoadFailure of(Map<Long, String> versions) {
    return new LoadFailure(
        Collections.unmodifiableNavigableMap(new TreeMap<>(versions)), "", "", false);
  }

  /** A failure of the model as a whole. */
  static LoadFailure of(InferenceException failure) {
    return new LoadFailure(
        Collections.emptyNavigableMap(),
        failure.reason(),
        String.valueOf(failure.getMessage()),
        false);
  }

  /** The failure of a model whose files were changed while they were read. */
  static LoadFailure changedFiles(String model) {
    InferenceException failure =
        InferenceException.unavailable(
            "the files of model '%s' were changed while it was loading".formatted(model));
    return new LoadFailure(
        Collections.emptyNavigableMap(),
        failure.reason(),
        String.valueOf(failure.getMessage()),
        true);
  }

  /** The failure for the operator of the server: the first one of its versions, if it has any. */
  String text() {
    return versions.isEmpty() ? message : versions.firstEntry().getValue();
  }

  /** The failure as the response to a request to load the model, with Triton's message. */
  InferenceException response(String model) {
    String text =
        versions.isEmpty()
            ? message
            : versions.entrySet().stream()
                .map(version ->
                    "version %d is at UNAVAILABLE state: %s;"
                        .formatted(version.getKey(), version.getValue()))
                .collect(Collectors.joining());
    return InferenceException.invalid("load failed for model '%s': %s\n".formatted(model, text));
  }
}
