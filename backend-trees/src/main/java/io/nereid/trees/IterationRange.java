package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.Iterations;
import java.util.Map;
import java.util.Optional;

/**
 * The parameter {@code iteration_range} of configurations and requests: the iterations whose trees
 * predictions use. Its value is {@code begin,end}, as in XGBoost's {@code predict}, {@code all}, or
 * {@code best} for those up to the best of early stopping.
 */
final class IterationRange {
  static final String PARAMETER = "iteration_range";
  private static final String ALL = "all";
  private static final String BEST = "best";

  private IterationRange() {}

  /**
   * A model with the iterations that a configuration says, or if it says none those that the
   * library's prediction uses.
   *
   * @throws InferenceException INVALID_ARGUMENT if the model does not have those iterations
   */
  static Ensemble configured(Ensemble model, Map<String, String> parameters) {
    String stated = parameters.get(PARAMETER);
    if (stated != null) {
      return of(model, stated);
    }
    Iterations iterations = model.trees().iterations();
    return iterations.usesBest() && iterations.best() >= 0 ? best(model) : model;
  }

  private static Ensemble best(Ensemble model) {
    int best = model.trees().iterations().best();
    if (best < 0) {
      throw InferenceException.invalid(
          "the parameter '%s' is '%s', but the file names no best_iteration"
              .formatted(PARAMETER, BEST));
    }
    if (best >= model.trees().iterations().count()) {
      throw InferenceException.invalid(
          "its best_iteration is %d, but it has %d iterations; the parameter '%s' must say which to use"
              .formatted(best, model.trees().iterations().count(), PARAMETER));
    }
    return model.withIterations(0, best + 1);
  }

  /**
   * A model with the iterations that a request says; the model itself if it says none.
   *
   * @throws InferenceException INVALID_ARGUMENT if the model does not have those iterations
   */
  static Ensemble requested(Ensemble model, Map<String, Parameter> parameters) {
    Parameter stated = parameters.get(PARAMETER);
    if (stated == null) {
      return model;
    }
    if (stated instanceof Parameter.OfString(String text)) {
      return of(model, text);
    }
    throw wrong(model, "no string");
  }

  private static Ensemble of(Ensemble model, String text) {
    int count = model.trees().iterations().count();
    switch (text.strip()) {
      case ALL -> {
        return count == 0 ? model : model.withIterations(0, count);
      }
      case BEST -> {
        return best(model);
      }
      default -> {}
    }
    String[] bounds = text.split(",", -1);
    try {
      int begin = Integer.parseInt(bounds[0].strip());
      int end = Integer.parseInt(bounds[bounds.length - 1].strip());
      if (bounds.length == 2 && 0 <= begin && begin < end && end <= count) {
        return model.withIterations(begin, end);
      }
    } catch (NumberFormatException _) {
      // as for numbers out of range
    }
    throw wrong(model, text.length() > 30 ? "a long text" : "'" + text + "'");
  }

  /**
   * A configuration that shows which iterations predictions use, if it states none and they may not
   * be all.
   */
  static ModelConfig shown(ModelConfig config, Ensemble model) {
    Iterations used = model.trees().iterations();
    return described(model).isEmpty() || config.parameters().containsKey(PARAMETER)
        ? config
        : config.toBuilder().parameter(PARAMETER, used.begin() + "," + used.end()).build();
  }

  /** A sentence on what predictions use, if it is not all, or the file names a best iteration. */
  static Optional<String> described(Ensemble model) {
    Iterations iterations = model.trees().iterations();
    boolean hasBest = iterations.best() >= 0 && iterations.best() + 1 < iterations.count();
    if (iterations.used() == iterations.count() && !hasBest) {
      return Optional.empty();
    }
    String best = hasBest ? "; its best_iteration is " + iterations.best() : "";
    return Optional.of(
        "predictions use the iterations %d to %d of %d%s; the parameter '%s' may say otherwise"
            .formatted(
                iterations.begin(), iterations.end() - 1, iterations.count(), best, PARAMETER));
  }

  private static InferenceException wrong(Ensemble model, String got) {
    return InferenceException.invalid(
        "the parameter '%s' must be '%s', '%s' or 'begin,end' with 0 <= begin < end <= %d, got %s"
            .formatted(PARAMETER, ALL, BEST, model.trees().iterations().count(), got));
  }
}
