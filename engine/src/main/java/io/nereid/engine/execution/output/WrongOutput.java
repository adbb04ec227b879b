package io.nereid.engine.execution.output;

import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.tensor.Shape;
import java.util.function.Predicate;

/**
 * The failures of one output: each names the backend, the model, the output, what was given and
 * what was expected. The first is logged, with the stack trace of the backend's call. Thread-safe.
 */
final class WrongOutput {
  private static final System.Logger LOG = System.getLogger(WrongOutput.class.getName());

  /** Longer names and shapes are cut off: they come from the backend. */
  private static final int PRINTED_NAME = 100;

  private static final int PRINTED_RANK = 16;

  private final String subject;
  private final String shapeOfSubject;
  private final Predicate<String> isFirst;

  /**
   * @param kind output or state
   * @param isFirst whether something to log is the first of its kind
   */
  WrongOutput(String backend, ModelKey model, String kind, String name, Predicate<String> isFirst) {
    this.isFirst = isFirst;
    this.subject =
        "backend '%s', model '%s', version %d, %s '%s'"
            .formatted(backend, model.name(), model.version(), kind, cut(name));
    this.shapeOfSubject = "shape of " + subject;
  }

  private static String cut(String name) {
    return name.length() <= PRINTED_NAME ? name : name.substring(0, PRINTED_NAME) + "…";
  }

  /** The failure that {@code given} is not {@code expected}. */
  InferenceException wrong(String given, String expected) {
    var failure = InferenceException.internal(subject + ": " + given + ", expected " + expected);
    if (isFirst.test(subject)) {
      LOG.log(System.Logger.Level.ERROR, failure.getMessage(), failure);
    }
    return failure;
  }

  /** Logs that a shape is served which is not the declared one; returns true. */
  boolean isServed(Shape given, Shape declared) {
    if (isFirst.test(shapeOfSubject)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}: shape {1} is served as it is, declared as {2}",
          subject,
          text(given),
          declared);
    }
    return true;
  }

  /** The text of a shape of any rank. */
  static String text(Shape shape) {
    return shape.rank() <= PRINTED_RANK
        ? shape.toString()
        : "of %d dimensions".formatted(shape.rank());
  }
}
