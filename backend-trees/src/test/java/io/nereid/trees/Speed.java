package io.nereid.trees;

import com.sun.management.ThreadMXBean;
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
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Rows per second of this backend, predicted and explained, of the libraries' own C API and of
 * XGBoost's Java package, called in the same process, in turn, on one thread each: {@code make
 * trees-speed}. For each model and number of rows it prints the medians of five rounds, and what a
 * call allocates here and in that package.
 *
 * <p>Arguments: the folder that {@code speed.py} has made, the class path of XGBoost's package, and
 * the two libraries that {@code speed.py} prints.
 */
final class Speed {
  private static final int ROUNDS = 5;
  private static final long ROUND_NANOS = 300_000_000;

  private Speed() {}

  /** Predicts all rows of a segment. */
  interface Predictor {
    /** Returns the first prediction. */
    double predict(MemorySegment rows, int count);
  }

  private static final class Ours implements Predictor {
    private final Ensemble model;
    private final ForestWalk walk;
    private final double[] margins;
    private final double[] row = new double[2];
    private final MemorySegment output;

    Ours(Ensemble model, int mostRows, Arena arena) {
      this.model = model;
      walk = new ForestWalk(model);
      margins = new double[walk.maxRows()];
      output = arena.allocate(4L * mostRows);
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      for (int first = 0; first < count; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), count - first);
        walk.margins(model, rows, first, block, margins);
        for (int i = 0; i < block; i++) {
          OutputKind.PREDICTION.write(model, 0.5, margins, i, row);
          output.set(Elements.FLOAT, 4L * (first + i), (float) row[0]);
        }
      }
      return output.get(Elements.FLOAT, 0);
    }
  }

  /** The contributions of all features to the margins, as {@link TreesInstance} writes them. */
  private static final class OursExplained implements Predictor {
    private final Ensemble model;
    private final ForestWalk walk;
    private final ForestShap shap;
    private final double[] margins;
    private final int width;
    private final MemorySegment output;

    OursExplained(Ensemble model, int mostRows, Arena arena) throws MalformedModelException {
      this.model = model;
      walk = new ForestWalk(model);
      shap = new ForestShap(model, PathWeights.of(model), walk);
      margins = new double[walk.maxRows()];
      width = model.features().count() + 1;
      output = arena.allocate(4L * mostRows * width);
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      output.fill((byte) 0);
      for (int first = 0; first < count; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), count - first);
        walk.margins(model, rows, first, block, margins);
        for (int from = 0; from < block; from += shap.maxRows()) {
          long row = (long) first + from;
          shap.contributions(
              model,
              from,
              Math.min(shap.maxRows(), block - from),
              (each, _, feature, value) ->
                  output.setAtIndex(Elements.FLOAT, (row + each) * width + feature, (float) value));
        }
      }
      return output.get(Elements.FLOAT, 0);
    }
  }

  public static void main(String[] arguments) throws IOException {
    System.out.println(
        "| model | rows | rows/s here | in C | in Java | here/C | here/Java | bytes here | bytes"
            + " Java |");
    System.out.println("|" + " --- |".repeat(9));
    try (Stream<Path> models = Files.list(Path.of(arguments[0]));
        var arena = Arena.ofConfined()) {
      for (Path model : models.sorted().toList()) {
        compare(model, List.of(arguments).subList(1, 4), arena);
      }
    }
  }

  /**
   * @param libraries a class path, and those of XGBoost and LightGBM
   */
  private static void compare(Path file, List<String> libraries, Arena arena) throws IOException {
    String name = file.getFileName().toString();
    boolean isXgboost = name.startsWith("xgboost");
    DataType type = isXgboost ? DataType.FP32 : DataType.FP64; // as the libraries compare
    Ensemble model = TreeFileFormat.read(file, type);
    int features = model.features().count();
    for (int rows : new int[] {1, 100, 10_000}) {
      List<Predictor> predictors = new ArrayList<>();
      predictors.add(new Ours(model, rows, arena));
      if (isXgboost) {
        predictors.add(new LibrariesInC.Xgboost(libraries.get(1), file, features, arena));
        predictors.add(new XgboostInJava(libraries.get(0), file, features, rows));
      } else {
        predictors.add(
            LibrariesInC.LightGbm.ofValues(libraries.get(2), file, features, rows, arena));
      }
      compare(name, predictors, rows, features, type, arena);
    }
    for (int rows : new int[] {1, 100}) { // the libraries take seconds for a thousand
      Predictor library =
          isXgboost
              ? new LibrariesInC.XgboostExplained(libraries.get(1), file, features, arena)
              : LibrariesInC.LightGbm.ofContributions(
                  libraries.get(2), file, features, rows, arena);
      List<Predictor> predictors = List.of(new OursExplained(model, rows, arena), library);
      compare(name + ", SHAP", predictors, rows, features, type, arena);
    }
  }

  /**
   * @param predictors ours, the library in C and perhaps in Java
   */
  private static void compare(
      String name, List<Predictor> predictors, int rows, int features, DataType type, Arena arena) {
    var random = new Random(7);
    MemorySegment input = arena.allocate((long) type.byteSize() * rows * features, 64);
    for (long i = 0; i < (long) rows * features; i++) {
      double value = random.nextGaussian();
      if (type == DataType.FP64) {
        input.set(Elements.DOUBLE, 8 * i, value);
      } else {
        input.set(Elements.FLOAT, 4 * i, (float) value);
      }
    }
    double expected = predictors.getFirst().predict(input, rows);
    for (Predictor predictor : predictors) {
      if (Math.abs(expected - predictor.predict(input, rows)) > 1e-5) {
        throw new AssertionError("different predictions of " + name);
      }
      rate(predictor, input, rows);
    }
    double[][] rates = new double[predictors.size()][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < predictors.size(); i++) {
        rates[i][round] = rate(predictors.get(i), input, rows);
      }
    }
    double here = median(rates[0]);
    double inC = median(rates[1]);
    double inJava = predictors.size() > 2 ? median(rates[2]) : Double.NaN;
    System.out.printf(
        "| %s | %,d | %,.0f | %,.0f | %,.0f | %.2f | %.2f | %d | %d |%n",
        name,
        rows,
        here,
        inC,
        inJava,
        here / inC,
        here / inJava,
        allocated(predictors.getFirst(), input, rows),
        allocated(predictors.getLast(), input, rows));
  }

  private static double median(double[] rates) {
    Arrays.sort(rates);
    return rates[ROUNDS / 2];
  }

  private static double rate(Predictor predictor, MemorySegment input, int rows) {
    long begin = System.nanoTime();
    long calls = 0;
    long nanos;
    do {
      predictor.predict(input, rows);
      calls++;
      nanos = System.nanoTime() - begin;
    } while (nanos < ROUND_NANOS);
    return calls * rows * 1e9 / nanos;
  }

  private static long allocated(Predictor predictor, MemorySegment input, int rows) {
    var thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < ROUNDS; i++) {
      predictor.predict(input, rows);
    }
    return (thread.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
  }
}
