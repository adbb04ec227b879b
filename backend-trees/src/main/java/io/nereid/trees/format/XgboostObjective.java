package io.nereid.trees.format;

import io.nereid.trees.forest.Link;
import io.nereid.trees.forest.MalformedModelException;

/** What an objective of XGBoost makes of margins, and of its base score. */
enum XgboostObjective {
  /** The margin is the prediction. */
  PLAIN(Link.Kind.IDENTITY),
  LOGISTIC(Link.Kind.FLOAT_SIGMOID),
  LOGISTIC_REGRESSION(Link.Kind.FLOAT_SIGMOID),
  HINGE(Link.Kind.HINGE),
  SOFTPROB(Link.Kind.FLOAT_SOFTMAX),
  SOFTMAX(Link.Kind.FLOAT_SOFTMAX),
  /** Predictions are exponentials of margins. */
  LOG(Link.Kind.FLOAT_EXP);

  private final Link.Kind kind;

  XgboostObjective(Link.Kind kind) {
    this.kind = kind;
  }

  /** The rule of an objective's name. */
  static XgboostObjective of(String name) throws MalformedModelException {
    return switch (name) {
      case "reg:squarederror",
          "reg:linear",
          "reg:squaredlogerror",
          "reg:pseudohubererror",
          "reg:absoluteerror",
          "reg:quantileerror",
          "reg:expectileerror",
          "binary:logitraw",
          "rank:pairwise",
          "rank:ndcg",
          "rank:map" ->
          PLAIN;
      case "binary:logistic" -> LOGISTIC;
      case "reg:logistic" -> LOGISTIC_REGRESSION;
      case "binary:hinge" -> HINGE;
      case "multi:softprob" -> SOFTPROB;
      case "multi:softmax" -> SOFTMAX;
      case "count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft" -> LOG;
      case "" -> throw new MalformedModelException("it has no objective of XGBoost");
      default -> throw new MalformedModelException("its objective '%s' is unknown".formatted(name));
    };
  }

  Link link() {
    return Link.of(kind);
  }

  boolean isBinary() {
    return this == LOGISTIC || this == HINGE;
  }

  boolean isMulticlass() {
    return this == SOFTPROB || this == SOFTMAX;
  }

  boolean predictsClass() {
    return this == SOFTMAX;
  }

  /** The margin of a base score, which is a prediction. */
  float margin(float baseScore) throws MalformedModelException {
    return switch (this) {
      case PLAIN, HINGE, SOFTPROB, SOFTMAX -> baseScore;
      case LOGISTIC, LOGISTIC_REGRESSION -> {
        if (!(baseScore > 0 && baseScore < 1)) {
          throw new MalformedModelException(
              "its base_score is %s, which must be between 0 and 1".formatted(baseScore));
        }
        yield (float) -Math.log(1 / baseScore - 1);
      }
      case LOG -> (float) Math.log(baseScore);
    };
  }
}
