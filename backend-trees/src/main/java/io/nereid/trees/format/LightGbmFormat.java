package io.nereid.trees.format;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.EnsembleBuilder;
import io.nereid.trees.forest.ForestBuilder;
import io.nereid.trees.forest.Iterations;
import io.nereid.trees.forest.Link;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * LightGBM's model, as {@code Booster.save_model} writes it since 2.0: a text of lines {@code
 * key=value}. It is read as LightGBM's own loader reads it ({@code GBDT::LoadModelFromString}): up
 * to the last tree, of which newer versions state the number and older ones do not. Of what follows
 * only the categories of a data frame are read.
 */
final class LightGbmFormat {
  private static final String END_OF_TREES = "end of trees";

  /** Behind the trees. */
  private static final String CATEGORIES = "pandas_categorical:";

  private final ByteSource source;
  private final ForestBuilder forest = new ForestBuilder(false);
  private final Map<String, String> header = new HashMap<>();
  private final StoredCategories categories = new StoredCategories();

  private LightGbmFormat(ByteSource source) {
    this.source = source;
    forest.comparesDoubles(true);
  }

  static Ensemble read(ByteSource source, DataType rowType) throws IOException {
    var format = new LightGbmFormat(source);
    format.lines();
    return format.ensemble(rowType);
  }

  private void lines() throws IOException {
    String line = source.line();
    for (; line != null && !isTree(line) && !line.equals(END_OF_TREES); line = source.line()) {
      int equals = line.indexOf('=');
      String key = equals < 0 ? line : line.substring(0, equals);
      if (isOfHeader(key)) {
        header.put(key, equals < 0 ? "" : line.substring(equals + 1));
      }
    }
    String sizes = header.get("tree_sizes");
    int stated = sizes == null ? Integer.MAX_VALUE : new Words(sizes).count();
    while (line != null && isTree(line) && forest.trees() < stated) {
      forest.add(tree().nodes(), 0);
      do {
        line = source.line();
      } while (line != null && line.isEmpty());
    }
    if (sizes == null ? forest.trees() == 0 : forest.trees() < stated) {
      throw new MalformedModelException(
          sizes == null
              ? "it ends early, before its first tree"
              : "it ends early, with %d trees of %d".formatted(forest.trees(), stated));
    }
    readCategories(line);
  }

  private static boolean isTree(String line) {
    return line.startsWith("Tree=");
  }

  /** The lines of a tree up to the empty one that each version writes behind it. */
  private LightGbmTree tree() throws IOException {
    var tree = new LightGbmTree(forest.trees());
    while (true) {
      String line = source.line();
      if (line == null) {
        throw new MalformedModelException("it ends early, in tree %d".formatted(forest.trees()));
      }
      if (line.isEmpty()) {
        return tree;
      }
      int equals = line.indexOf('=');
      if (equals > 0) {
        tree.field(line.substring(0, equals), line.substring(equals + 1));
      }
    }
  }

  /** The line behind the trees, and what follows it. */
  private void readCategories(@Nullable String next) throws IOException {
    for (String line = next; line != null; line = source.line()) {
      if (line.startsWith(CATEGORIES)) {
        addCategories(line.substring(CATEGORIES.length()));
      }
    }
  }

  private void addCategories(String lists) throws IOException {
    try {
      categories.lightGbm(lists, categoricalFeatures());
    } catch (MalformedModelException wrong) {
      throw new MalformedModelException("in its pandas_categorical " + wrong.getMessage());
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
          "average_output",
          "tree_sizes" ->
          true;
      default -> false;
    };
  }

  private Ensemble ensemble(DataType rowType) throws MalformedModelException {
    boolean hasOutputs = header.containsKey("num_tree_per_iteration");
    int outputs = integer(hasOutputs ? "num_tree_per_iteration" : "num_class");
    int features = integer("max_feature_idx");
    if (outputs < 1 || outputs > ForestBuilder.MAX_OUTPUTS) {
      throw new MalformedModelException(
          "its num_tree_per_iteration is %d, which must be from 1 to %d"
              .formatted(outputs, ForestBuilder.MAX_OUTPUTS));
    }
    int trees = forest.trees();
    var iterations = Iterations.of(trees, outputs);
    for (int tree = 0; tree < trees; tree++) {
      forest.regroup(tree, tree % outputs);
    }
    var builder =
        new EnsembleBuilder("LightGBM " + header.getOrDefault("version", "text"), forest)
            .features(features == Integer.MAX_VALUE ? -1 : features + 1, featureNames())
            .categories(categories.ofFeatures())
            .base(new double[outputs], true)
            .iterations(iterations);
    return withObjective(builder, outputs).build(rowType);
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
          case "cross_entropy", "xentropy" -> Link.of(Link.Kind.SIGMOID);
          case "cross_entropy_lambda", "xentlambda" -> Link.of(Link.Kind.LOG_ONE_PLUS_EXP);
          case "", "custom", "none", "null", "na" -> Link.IDENTITY;
          default ->
              throw new MalformedModelException("its objective '%s' is unknown".formatted(name));
        };
    int classes =
        switch (name) {
          case "binary" -> Math.max(2, outputs);
          case "multiclass", "multiclassova" -> outputs;
          default -> 0;
        };
    boolean averages = header.containsKey("average_output");
    return builder
        .link(averages ? link.ofAverage(Math.max(1, forest.trees() / outputs)) : link)
        .classes(classes);
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
