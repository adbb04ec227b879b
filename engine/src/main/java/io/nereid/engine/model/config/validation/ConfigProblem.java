package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;

/**
 * A violated rule, or the failure of a part that applies rules of its own, such as a backend.
 *
 * @param path the field that violates it; the configuration itself if that is not known
 * @param failure with Triton's text, without the position
 */
public record ConfigProblem(FieldPath path, InferenceException failure) {
  public String message() {
    return failure.getMessage();
  }
}
