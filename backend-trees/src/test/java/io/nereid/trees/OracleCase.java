package io.nereid.trees;

import io.nereid.tensor.Elements;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.ForestShap;
import io.nereid.trees.forest.ForestWalk;
import io.nereid.trees.forest.MalformedModelException;
import io.nereid.trees.forest.PathWeights;
import io.nereid.trees.format.TreeFileFormat;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A model and what its library predicts: a folder that {@code oracle.py} has written. */
record OracleCase(Path folder) {
  /**
   * A comparison of outputs.
   *
   * @param values how many were compared
   * @param different how many are not the same float
   * @param maxUlp the largest distance, in floats that lie between
   * @param differentDoubles how many are not the same double, where the library computes those
   */
  record Comparison(long values, long different, long maxUlp, long differentDoubles) {
    Comparison plus(Comparison other) {
      return new Comparison(
          values + other.values,
          different + other.different,
          Math.max(maxUlp, other.maxUlp),
          differentDoubles + other.differentDoubles);
    }
  }

  static final Comparison NONE = new Comparison(0, 0, 0, 0);

  /** The name without the seed. */
  String kind() {
    String name = folder.getFileName().toString();
    return name.substring(0, name.lastIndexOf('_'));
  }

  Ensemble model() throws IOException {
    return TreeFileFormat.read(TestModels.model(folder));
  }

  /** Compares an output of a kind; nothing if the oracle has none. */
  Comparison compare(OutputKind kind) throws IOException {
    double[] expected = expected(kind.text());
    if (expected == null) {
      return NONE;
    }
    Ensemble model = model();
    double[] actual = predict(model, kind);
    if (actual.length != expected.length) {
      throw new AssertionError(
          "%s has %d values in place of %d".formatted(folder, actual.length, expected.length));
    }
    var comparison = NONE;
    for (int i = 0; i < actual.length; i++) {
      long ulp = Math.abs((long) order((float) actual[i]) - order((float) expected[i]));
      boolean sameDouble = model.isSingle() || actual[i] == expected[i];
      comparison = comparison.plus(new Comparison(1, ulp == 0 ? 0 : 1, ulp, sameDouble ? 0 : 1));
    }
    return comparison;
  }

  private static int order(float value) {
    int bits = Float.floatToRawIntBits(value + 0.0f);
    return bits < 0 ? Integer.MIN_VALUE - bits : bits;
  }

  /**
   * Compares contributions with those of the library.
   *
   * @return the largest difference, as a part of the largest contribution; NaN if the oracle has
   *     none
   */
  double compareContributions() throws IOException {
    double[] expected = expected(OutputKind.CONTRIBUTIONS.text());
    if (expected == null) {
      return Double.NaN;
    }
    double[] actual = explain();
    if (actual.length != expected.length) {
      throw new AssertionError(
          "%s has %d contributions in place of %d"
              .formatted(folder, actual.length, expected.length));
    }
    return largestDifference(actual, expected);
  }

  /**
   * Compares the sums of contributions with the margins.
   *
   * @return the largest difference, as a part of the largest margin; NaN if the file has no
   *     training rows of nodes
   */
  double compareSums() throws IOException {
    Ensemble model = model();
    double[] contributions;
    try {
      contributions = explain();
    } catch (MalformedModelException lacking) {
      return Double.NaN;
    }
    double[] margins = predict(model, OutputKind.MARGIN);
    double[] sums = new double[margins.length];
    for (int i = 0; i < contributions.length; i++) {
      sums[i / (model.features() + 1)] += contributions[i];
    }
    return largestDifference(sums, margins);
  }

  private static double largestDifference(double[] actual, double[] expected) {
    double largest = 0;
    double scale = Double.MIN_NORMAL;
    for (int i = 0; i < actual.length; i++) {
      largest = Math.max(largest, Math.abs(actual[i] - expected[i])); // NaN stays
      scale = Math.max(scale, Math.abs(expected[i]));
    }
    return largest / scale;
  }

  /** By row, output and feature; the expected value is the last feature. */
  private double[] explain() throws IOException {
    Ensemble model = model();
    var paths = PathWeights.of(model);
    byte[] bytes = Files.readAllBytes(folder.resolve("rows.f32"));
    int rows = bytes.length / Float.BYTES / model.features();
    int width = model.features() + 1;
    double[] all = new double[rows * model.outputs() * width];
    var walk = new ForestWalk(model);
    var shap = new ForestShap(model, paths, walk);
    double[] margins = new double[walk.maxRows() * model.outputs()];
    try (var arena = Arena.ofConfined()) {
      MemorySegment input = arena.allocate(bytes.length);
      Elements.copy(MemorySegment.ofArray(bytes), input);
      for (int first = 0; first < rows; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), rows - first);
        walk.margins(input, first, block, margins);
        for (int from = 0; from < block; from += shap.maxRows()) {
          int row = first + from;
          shap.contributions(
              from,
              Math.min(shap.maxRows(), block - from),
              (each, k, feature, value) ->
                  all[((row + each) * model.outputs() + k) * width + feature] = value);
        }
      }
    }
    return all;
  }

  private double[] predict(Ensemble model, OutputKind kind) throws IOException {
    byte[] bytes = Files.readAllBytes(folder.resolve("rows.f32"));
    int rows = bytes.length / Float.BYTES / model.features();
    int width = kind.width(model);
    double[] all = new double[rows * width];
    var walk = new ForestWalk(model);
    double[] margins = new double[walk.maxRows() * model.outputs()];
    double[] row = new double[Math.max(2, model.outputs())];
    try (var arena = Arena.ofConfined()) {
      MemorySegment input = arena.allocate(bytes.length);
      Elements.copy(MemorySegment.ofArray(bytes), input);
      for (int first = 0; first < rows; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), rows - first);
        walk.margins(input, first, block, margins);
        for (int i = 0; i < block; i++) {
          kind.write(model, 0.5, margins, i * model.outputs(), row);
          System.arraycopy(row, 0, all, (first + i) * width, width);
        }
      }
    }
    return all;
  }

  private double @Nullable [] expected(String name) throws IOException {
    Path singles = folder.resolve(name + ".f32");
    Path doubles = folder.resolve(name + ".f64");
    boolean isSingle = Files.exists(singles);
    if (!isSingle && !Files.exists(doubles)) {
      return null;
    }
    var bytes =
        ByteBuffer.wrap(Files.readAllBytes(isSingle ? singles : doubles))
            .order(ByteOrder.LITTLE_ENDIAN);
    double[] values = new double[bytes.remaining() / (isSingle ? Float.BYTES : Double.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = isSingle ? bytes.getFloat() : bytes.getDouble();
    }
    return values;
  }
}
