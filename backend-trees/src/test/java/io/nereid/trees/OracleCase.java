package io.nereid.trees;

import io.nereid.tensor.DataType;
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
import java.util.Map;
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
    Ensemble model = TreeFileFormat.read(TestModels.model(folder), rowType());
    double[] offset = values("offset");
    model = IterationRange.configured(model, Map.of());
    return offset == null ? model : model.withOffset(offset[0]);
  }

  private DataType rowType() {
    return Files.exists(folder.resolve("rows.f64")) ? DataType.FP64 : DataType.FP32;
  }

  /** Compares an output of a kind; nothing if the oracle has none. */
  Comparison compare(OutputKind kind) throws IOException {
    double[] expected = values(kind.text());
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

  /** The largest difference of an output of a kind; 0 if the oracle has none. */
  double largestDifference(OutputKind kind) throws IOException {
    double[] expected = values(kind.text());
    double largest = 0;
    if (expected != null) {
      double[] actual = predict(model(), kind);
      for (int i = 0; i < actual.length; i++) {
        largest = Math.max(largest, Math.abs(actual[i] - expected[i]));
      }
    }
    return largest;
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
    double[] expected = values(OutputKind.CONTRIBUTIONS.text());
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
   * Compares the sums of contributions with the sums of the trees.
   *
   * @return the largest difference, as a part of the largest; NaN if the file has no training rows
   *     of nodes
   */
  double compareSums() throws IOException {
    Ensemble model = model();
    double[] contributions;
    try {
      contributions = explain();
    } catch (MalformedModelException lacking) {
      return Double.NaN;
    }
    double[] margins = sums(model);
    double[] sums = new double[margins.length];
    for (int i = 0; i < contributions.length; i++) {
      sums[i / (model.features().count() + 1)] += contributions[i];
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
    var walk = new ForestWalk(model);
    var shap = new ForestShap(model, paths, walk);
    int width = model.features().count() + 1;
    double[] all = new double[rows(model) * model.outputs() * width];
    eachBlock(
        model,
        walk,
        (first, block, _) -> {
          for (int from = 0; from < block; from += shap.maxRows()) {
            int row = first + from;
            shap.contributions(
                model,
                from,
                Math.min(shap.maxRows(), block - from),
                (each, k, feature, value) ->
                    all[((row + each) * model.outputs() + k) * width + feature] = value);
          }
        });
    return all;
  }

  private double[] predict(Ensemble model, OutputKind kind) throws IOException {
    int width = kind.width(model);
    double[] all = new double[rows(model) * width];
    double[] row = new double[Math.max(2, model.outputs())];
    eachBlock(
        model,
        new ForestWalk(model),
        (first, block, margins) -> {
          for (int i = 0; i < block; i++) {
            kind.write(model, 0.5, margins, i * model.outputs(), row);
            System.arraycopy(row, 0, all, (first + i) * width, width);
          }
        });
    return all;
  }

  /** The sums of the trees, which of isolation forests are no {@link OutputKind#MARGIN}. */
  private double[] sums(Ensemble model) throws IOException {
    int outputs = model.outputs();
    double[] all = new double[rows(model) * outputs];
    eachBlock(
        model,
        new ForestWalk(model),
        (first, block, margins) ->
            System.arraycopy(margins, 0, all, first * outputs, block * outputs));
    return all;
  }

  /** A receiver of blocks of rows, whose margins the walk has computed. */
  @FunctionalInterface
  private interface Blocks {
    void accept(int first, int rows, double[] margins);
  }

  private void eachBlock(Ensemble model, ForestWalk walk, Blocks blocks) throws IOException {
    byte[] bytes = bytes(model);
    int rows = rows(model);
    double[] margins = new double[walk.maxRows() * model.outputs()];
    try (var arena = Arena.ofConfined()) {
      MemorySegment input = arena.allocate(bytes.length);
      Elements.copy(MemorySegment.ofArray(bytes), input);
      for (int first = 0; first < rows; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), rows - first);
        walk.margins(model, input, first, block, margins);
        blocks.accept(first, block, margins);
      }
    }
  }

  private byte[] bytes(Ensemble model) throws IOException {
    boolean isDouble = model.rowType() == DataType.FP64;
    return Files.readAllBytes(folder.resolve(isDouble ? "rows.f64" : "rows.f32"));
  }

  private int rows(Ensemble model) throws IOException {
    return bytes(model).length / model.rowType().byteSize() / model.features().count();
  }

  /** The values of a file; null if there is none. */
  private double @Nullable [] values(String name) throws IOException {
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
