package io.nereid.trees.format;

import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.EnsembleBuilder;
import io.nereid.trees.forest.ForestBuilder;
import io.nereid.trees.forest.Link;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** LightGBM's model, as {@code Booster.save_model} writes it: a text of lines {@code key=value}. */
final class LightGbmFormat {
  private static final String END_OF_TREES = "end of trees";

  /** Behind the trees. */
  private static final String CATEGORIES = "pandas_categorical:";

  private final ByteSource source;
  private final ForestBuilder forest = new ForestBuilder(false);
  private final Map<String, String> header = new HashMap<>();
  private final StoredCategories categories = new StoredCategories();
  private boolean isAveraged;

  private LightGbmFormat(ByteSource source) {
    this.source = source;
  }

  static Ensemble read(ByteSource source) throws IOException {
    var format = new LightGbmFormat(source);
    format.lines();
    return format.ensemble();
  }

  private void lines() throws IOException {
    LightGbmTree tree = null;
    while (true) {
      String line = source.line();
      if (line == null) {
        throw new MalformedModelException(
            "it ends early, without the line '%s'".formatted(END_OF_TREES));
      }
      boolean isEnd = line.equals(END_OF_TREES);
      if (isEnd || line.startsWith("Tree=")) {
        add(tree);
        if (isEnd) {
          readCategories();
          return;
        }
        tree = new LightGbmTree(forest.trees());
        continue;
      }
      int equals = line.indexOf('=');
      String key = equals < 0 ? line : line.substring(0, equals);
      String value = equals < 0 ? "" : line.substring(equals + 1);
      if (tree != null) {
        tree.field(key, value);
      } else if (key.equals("average_output")) {
        isAveraged = true;
      } else if (isOfHeader(key)) {
        header.put(key, value);
      }
    }
  }

  private void readCategories() throws IOException {
    for (String line = source.line(); line != null; line = source.line()) {
      if (line.startsWith(CATEGORIES)) {
        categories.lightGbm(line.substring(CATEGORIES.length()), categoricalFeatures());
      }
    }
  }

  /** A number has a range in the file, a category the list of its values. */
  private int[] categoricalFeatures() {
    String[] infos = header.getOrDefault("feature_infos", "").split(" ", -1);
    return IntStream.range(0, infos.length)
        .filter(i -> !infos[i].startsWith("[") && !infos[i].isEmpty() && !infos[i].equals("none"))
        .toArray();
  }

  private static boolean isOfHeader(String key) {
    return switch (key) {
      case "version",
          "num_class",
          "num_tree_per_iteration",
          "max_feature_idx",
          "objective",
          "feature_names",
          "feature_infos",
          "tree_sizes" ->
          true;
      default -> false;
    };
  }

  private void add(@Nullable LightGbmTree tree) throws MalformedModelException {
    if (tree != null) {
      forest.add(tree.nodes(), 0);
    }
  }

  private Ensemble ensemble() throws MalformedModelException {
    int outputs = integer("num_tree_per_iteration");
    int features = integer("max_feature_idx");
    if (outputs < 1 || outputs > ForestBuilder.MAX_OUTPUTS) {
      throw new MalformedModelException(
          "its num_tree_per_iteration is %d, which must be from 1 to %d"
              .formatted(outputs, ForestBuilder.MAX_OUTPUTS));
    }
    int trees = new Words(header.getOrDefault("tree_sizes", "")).count();
    if (trees != forest.trees()) {
      throw new MalformedModelException(
          "it has %d trees, but %d tree_sizes".formatted(forest.trees(), trees));
    }
    if (trees % outputs != 0) {
      throw new MalformedModelException(
          "it has %d trees, which is no multiple of its %d outputs".formatted(trees, outputs));
    }
    for (int tree = 0; tree < trees; tree++) {
      forest.regroup(tree, tree % outputs);
    }
    var builder =
        new EnsembleBuilder("LightGBM " + header.getOrDefault("version", "text"), forest)
            .features(features == Integer.MAX_VALUE ? -1 : features + 1, featureNames())
            .categories(categories.ofFeatures())
            .base(new double[outputs], true);
    return withObjective(builder, outputs).build();
  }

  private List<String> featureNames() {
    List<String> names = new ArrayList<>();
    var words = new Words(header.getOrDefault("feature_names", ""));
    for (int left = words.count(); left > 0; left--) {
      names.add(words.next());
    }
    return names;
  }

  /**
   * A model without an objective was trained with one of the user's own: margins are all it has.
   */
  private EnsembleBuilder withObjective(EnsembleBuilder builder, int outputs)
      throws MalformedModelException {
    int iterations = isAveraged ? Math.max(1, forest.trees() / outputs) : 1;
    var words = new Words(header.getOrDefault("objective", ""));
    List<String> options = new ArrayList<>();
    String name = words.next();
    for (int left = words.count(); left > 0; left--) {
      options.add(words.next());
    }
    Link link =
        switch (name) {
          case "regression",
              "regression_l1",
              "huber",
              "fair",
              "quantile",
              "mape",
              "lambdarank",
              "rank_xendcg" ->
              options.contains("sqrt") ? Link.of(Link.Kind.SIGNED_SQUARE) : Link.IDENTITY;
          case "poisson", "gamma", "tweedie" -> Link.of(Link.Kind.EXP);
          case "binary", "multiclassova" -> sigmoid(options);
          case "multiclass" -> Link.of(Link.Kind.SOFTMAX);
          case "cross_entropy" -> Link.of(Link.Kind.SIGMOID);
          case "cross_entropy_lambda" -> Link.of(Link.Kind.LOG_ONE_PLUS_EXP);
          case "", "custom" -> Link.IDENTITY;
          default ->
              throw new MalformedModelException("its objective '%s' is unknown".formatted(name));
        };
    int classes =
        switch (name) {
          case "binary" -> Math.max(2, outputs);
          case "multiclass", "multiclassova" -> outputs;
          default -> 0;
        };
    return builder.link(link.ofAverage(iterations)).classes(classes);
  }

  private static Link sigmoid(List<String> options) throws MalformedModelException {
    for (String option : options) {
      if (option.startsWith("sigmoid:")) {
        try {
          return Link.of(Link.Kind.SIGMOID, Double.parseDouble(option.substring(8)));
        } catch (NumberFormatException _) {
          throw new MalformedModelException(
              "its objective has '%s', which should be a number".formatted(option));
        }
      }
    }
    return Link.of(Link.Kind.SIGMOID);
  }

  private int integer(String key) throws MalformedModelException {
    String value = header.get(key);
    if (value == null) {
      throw new MalformedModelException("it has no %s of LightGBM".formatted(key));
    }
    try {
      return Integer.parseInt(value.strip());
    } catch (NumberFormatException _) {
      throw new MalformedModelException("its %s '%s' is no integer".formatted(key, value));
    }
  }
}
