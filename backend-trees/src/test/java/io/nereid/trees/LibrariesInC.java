package io.nereid.trees;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.tensor.Elements;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** The C APIs of XGBoost and LightGBM, as far as {@link Speed} calls them; on one thread. */
final class LibrariesInC {
  private static final int DOUBLES = 1;

  private LibrariesInC() {}

  private static MethodHandle function(
      String library, String name, Arena arena, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(
            SymbolLookup.libraryLookup(library, arena).findOrThrow(name),
            FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private static void check(String name, Object status) {
    if ((int) status != 0) {
      throw new IllegalStateException(name + " returned " + status);
    }
  }

  private static void call(
      String library, Arena arena, String name, MemoryLayout[] types, Object... arguments) {
    try {
      check(name, function(library, name, arena, types).invokeWithArguments(arguments));
    } catch (Throwable thrown) {
      throw new IllegalStateException(thrown);
    }
  }

  private static MemoryLayout[] types(MemoryLayout... types) {
    return types;
  }

  /** A model of XGBoost, on one thread. */
  private static MemorySegment booster(String library, Path model, Arena arena) {
    MemorySegment handle = arena.allocate(ADDRESS);
    MemoryLayout[] created = types(ADDRESS, JAVA_LONG, ADDRESS);
    call(library, arena, "XGBoosterCreate", created, MemorySegment.NULL, 0L, handle);
    MemorySegment booster = handle.get(ADDRESS, 0);
    MemorySegment file = arena.allocateFrom(model.toString());
    call(library, arena, "XGBoosterLoadModel", types(ADDRESS, ADDRESS), booster, file);
    MemorySegment name = arena.allocateFrom("nthread");
    MemorySegment one = arena.allocateFrom("1");
    call(library, arena, "XGBoosterSetParam", types(ADDRESS, ADDRESS, ADDRESS), booster, name, one);
    return booster;
  }

  /** {@code XGBoosterPredictFromDense}: without a DMatrix. */
  static final class Xgboost implements Speed.Predictor {
    private static final String CONFIG =
        """
        {"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0,
         "strict_shape": false, "cache_id": 0, "missing": NaN}
        """;

    private final MethodHandle predict;
    private final MemorySegment booster;
    private final MemorySegment config;
    private final MemorySegment results;
    private final MemorySegment array;
    private final int features;

    Xgboost(String library, Path model, int features, Arena arena) {
      this.features = features;
      predict =
          function(
              library,
              "XGBoosterPredictFromDense",
              arena,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS);
      config = arena.allocateFrom(CONFIG);
      results = arena.allocate(24, 8);
      array = arena.allocate(256);
      booster = booster(library, model, arena);
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      array.setString(0, array(rows, count, features));
      try {
        check(
            "XGBoosterPredictFromDense",
            (int)
                predict.invokeExact(
                    booster,
                    array,
                    config,
                    MemorySegment.NULL,
                    results,
                    results.asSlice(8),
                    results.asSlice(16)));
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
      return results.get(ADDRESS, 16).reinterpret(4).get(Elements.FLOAT, 0);
    }
  }

  /**
   * Contributions of features, by {@code XGBoosterPredictFromDMatrix}: there is no other way to
   * them. The matrix is made in each call.
   */
  static final class XgboostExplained implements Speed.Predictor {
    private static final String CONFIG =
        """
        {"type": 2, "training": false, "iteration_begin": 0, "iteration_end": 0,
         "strict_shape": false}
        """;

    private final MethodHandle matrix;
    private final MethodHandle free;
    private final MethodHandle predict;
    private final MemorySegment booster;
    private final MemorySegment config;
    private final MemorySegment matrixConfig;
    private final MemorySegment results;
    private final MemorySegment array;
    private final int features;

    XgboostExplained(String library, Path model, int features, Arena arena) {
      this.features = features;
      matrix = function(library, "XGDMatrixCreateFromDense", arena, ADDRESS, ADDRESS, ADDRESS);
      free = function(library, "XGDMatrixFree", arena, ADDRESS);
      predict =
          function(
              library,
              "XGBoosterPredictFromDMatrix",
              arena,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS);
      config = arena.allocateFrom(CONFIG);
      matrixConfig = arena.allocateFrom("{\"missing\": NaN, \"nthread\": 1}");
      results = arena.allocate(32, 8);
      array = arena.allocate(256);
      booster = booster(library, model, arena);
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      array.setString(0, array(rows, count, features));
      MemorySegment handle = results.asSlice(24);
      try {
        check("XGDMatrixCreateFromDense", (int) matrix.invokeExact(array, matrixConfig, handle));
        MemorySegment made = handle.get(ADDRESS, 0);
        check(
            "XGBoosterPredictFromDMatrix",
            (int)
                predict.invokeExact(
                    booster, made, config, results, results.asSlice(8), results.asSlice(16)));
        check("XGDMatrixFree", (int) free.invokeExact(made));
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
      return results.get(ADDRESS, 16).reinterpret(4).get(Elements.FLOAT, 0);
    }
  }

  /** The rows in the words of an array interface. */
  private static String array(MemorySegment rows, int count, int features) {
    return "{\"data\": [%d, true], \"shape\": [%d, %d], \"typestr\": \"<f4\", \"version\": 3}"
        .formatted(rows.address(), count, features);
  }

  /** {@code LGBM_BoosterPredictForMat}; for one row the variant that is prepared. */
  static final class LightGbm implements Speed.Predictor {
    private final MethodHandle predict;
    private final MethodHandle predictOne;
    private final MemorySegment booster;
    private final MemorySegment prepared;
    private final MemorySegment options;
    private final MemorySegment length;
    private final MemorySegment results;
    private final int features;

    /** {@code predict_type}. */
    private final int kind;

    static LightGbm ofValues(String library, Path model, int features, int rows, Arena arena) {
      return new LightGbm(library, model, features, 0, 8L * rows, arena);
    }

    static LightGbm ofContributions(
        String library, Path model, int features, int rows, Arena arena) {
      return new LightGbm(library, model, features, 3, 8L * rows * (features + 1), arena);
    }

    private LightGbm(
        String library, Path model, int features, int kind, long resultSize, Arena arena) {
      this.features = features;
      this.kind = kind;
      predict =
          function(
              library,
              "LGBM_BoosterPredictForMat",
              arena,
              ADDRESS,
              ADDRESS,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              ADDRESS,
              ADDRESS,
              ADDRESS);
      predictOne =
          function(
              library,
              "LGBM_BoosterPredictForMatSingleRowFast",
              arena,
              ADDRESS,
              ADDRESS,
              ADDRESS,
              ADDRESS);
      options = arena.allocateFrom("num_threads=1");
      length = arena.allocate(JAVA_LONG);
      results = arena.allocate(resultSize, 8);
      MemorySegment handle = arena.allocate(ADDRESS);
      MemorySegment iterations = arena.allocate(JAVA_INT);
      try {
        check(
            "LGBM_BoosterCreateFromModelfile",
            (int)
                function(
                        library,
                        "LGBM_BoosterCreateFromModelfile",
                        arena,
                        ADDRESS,
                        ADDRESS,
                        ADDRESS)
                    .invokeExact(arena.allocateFrom(model.toString()), iterations, handle));
        booster = handle.get(ADDRESS, 0);
        check(
            "LGBM_BoosterPredictForMatSingleRowFastInit",
            (int)
                function(
                        library,
                        "LGBM_BoosterPredictForMatSingleRowFastInit",
                        arena,
                        ADDRESS,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        JAVA_INT,
                        ADDRESS,
                        ADDRESS)
                    .invokeExact(booster, kind, 0, -1, DOUBLES, features, options, handle));
        prepared = handle.get(ADDRESS, 0);
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      try {
        int status =
            count == 1
                ? (int) predictOne.invokeExact(prepared, rows, length, results)
                : (int)
                    predict.invokeExact(
                        booster, rows, DOUBLES, count, features, 1, kind, 0, -1, options, length,
                        results);
        check("LGBM_BoosterPredictForMat", status);
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
      return results.get(JAVA_DOUBLE, 0);
    }
  }
}
