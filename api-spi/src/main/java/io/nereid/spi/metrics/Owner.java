package io.nereid.spi.metrics;

import io.nereid.error.InferenceException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Whose metrics they are, and what they may be named.
 *
 * @param logger of the backend
 * @param labels that all of them have
 */
record Owner(String backend, System.Logger logger, Map<String, String> labels) {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
  private static final Set<String> LABELS_OF_SERVER =
      Set.of("backend", "model", "version", "le", "quantile");
  private static final int MAX_LABELS = 16;
  private static final int MAX_LENGTH = 256;
  private static final int MAX_BOUNDS = 100;

  static Owner of(String backend, System.Logger logger) {
    return new Owner(backend, logger, Map.of("backend", backend));
  }

  Owner withModel(String model, long version) {
    return new Owner(
        backend,
        logger,
        Map.of("backend", backend, "model", model, "version", Long.toString(version)));
  }

  /** The failure of a metric. */
  InferenceException refuse(String metric, String why) {
    return InferenceException.internal(
        "backend '%s': metric '%s' %s".formatted(backend, metric, why));
  }

  void requireName(String name) {
    if (!NAME.matcher(name).matches() || name.length() > MAX_LENGTH) {
      throw refuse(
          name,
          "must have a name of letters, digits and _ that begins with no digit, of at most %d"
                  .formatted(MAX_LENGTH)
              + " characters");
    }
    if (name.startsWith("nv_") || name.startsWith("nereid_")) {
      throw refuse(name, "has a name of the server's, which begin with nv_ and nereid_");
    }
  }

  /** All labels of a metric, by name. */
  Map<String, String> all(String metric, Map<String, String> own) {
    if (own.size() > MAX_LABELS) {
      throw refuse(metric, "has %d labels, and may have %d".formatted(own.size(), MAX_LABELS));
    }
    own.forEach((name, value) -> {
      if (!NAME.matcher(name).matches()
          || name.startsWith("__")
          || name.length() > MAX_LENGTH
          || LABELS_OF_SERVER.contains(name)) {
        throw refuse(
            metric,
            "has a label '%s': one has a name of letters, digits and _ that begins with no digit"
                    .formatted(name)
                + " and not with __, and is none of backend, model, version, le and quantile");
      }
      if (value.length() > MAX_LENGTH) {
        throw refuse(
            metric,
            "has a label '%s' of %d characters, and may have %d"
                .formatted(name, value.length(), MAX_LENGTH));
      }
    });
    Map<String, String> all = new TreeMap<>(labels);
    all.putAll(own);
    return all;
  }

  void requireBounds(String metric, double[] bounds) {
    boolean ascending = bounds.length > 0 && bounds.length <= MAX_BOUNDS;
    for (int i = 0; i < bounds.length; i++) {
      ascending &= Double.isFinite(bounds[i]) && (i == 0 || bounds[i] > bounds[i - 1]);
    }
    if (!ascending) {
      throw refuse(
          metric, "must have from 1 to %d bounds, finite and ascending".formatted(MAX_BOUNDS));
    }
  }
}
