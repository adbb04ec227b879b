package io.nereid.engine.model.config.validation;

import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Collects the rules that a configuration violates, in the order in which Triton checks them. A
 * server fails the model with the first; {@code lint} shows all.
 *
 * <pre>{@code
 * problems.require(size > 0, path, "preferred size must be positive for " + model);
 * }</pre>
 */
public final class ConfigProblems {
  /** Bounds memory; a configuration with more needs no longer list. */
  private static final int MAX = 200;

  private final List<ConfigProblem> problems = new ArrayList<>();

  /**
   * Reports a violated rule unless {@code condition} is true.
   *
   * @return {@code condition}, for rules that depend on this one
   */
  public boolean require(boolean condition, FieldPath path, String message) {
    if (!condition && problems.size() < MAX) {
      add(path, InferenceException.invalid(message));
    }
    return condition;
  }

  /**
   * Reports a failure, unless it is known: rules are applied again to a completed configuration.
   * One without a field is known once it was reported with its field.
   */
  public void add(FieldPath path, InferenceException failure) {
    boolean known =
        problems.stream()
            .filter(each -> each.path().equals(path) || path.equals(FieldPath.ROOT))
            .anyMatch(each -> each.message().equals(failure.getMessage()));
    if (!known && problems.size() < MAX) {
      problems.add(new ConfigProblem(path, failure));
    }
  }

  /** What a supplier gives; empty if it fails, which is reported. */
  public <T> Optional<T> attempt(FieldPath path, Supplier<T> supplier) {
    try {
      return Optional.of(supplier.get());
    } catch (InferenceException failure) {
      add(path, failure);
      return Optional.empty();
    }
  }

  public boolean isEmpty() {
    return problems.isEmpty();
  }

  public List<ConfigProblem> all() {
    return List.copyOf(problems);
  }

  /**
   * Fails if there is a problem.
   *
   * @throws InferenceException the first, with the position of its field if that is in a file
   */
  public void throwFirst(ConfigSource source) {
    if (!problems.isEmpty()) {
      ConfigProblem first = problems.getFirst();
      String where = source.where(first.path());
      InferenceException failure = first.failure();
      throw where.isEmpty()
          ? failure
          : new InferenceException(
              failure.code(), failure.getMessage() + where, failure.getCause());
    }
  }
}
