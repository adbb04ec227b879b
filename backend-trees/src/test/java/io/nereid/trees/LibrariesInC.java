package io.nereid.trees;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

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
  private static final int FLOATS = 0;

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
      MemorySegment handle = arena.allocate(ADDRESS);
      try {
        check(
            "XGBoosterCreate",
            (int)
                function(library, "XGBoosterCreate", arena, ADDRESS, JAVA_LONG, ADDRESS)
                    .invokeExact(MemorySegment.NULL, 0L, handle));
        booster = handle.get(ADDRESS, 0);
        check(
            "XGBoosterLoadModel",
            (int)
                function(library, "XGBoosterLoadModel", arena, ADDRESS, ADDRESS)
                    .invokeExact(booster, arena.allocateFrom(model.toString())));
        check(
            "XGBoosterSetParam",
            (int)
                function(library, "XGBoosterSetParam", arena, ADDRESS, ADDRESS, ADDRESS)
                    .invokeExact(booster, arena.allocateFrom("nthread"), arena.allocateFrom("1")));
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
    }

    @Override
    public double predict(MemorySegment rows, int count) {
      array.setString(
          0,
          "{\"data\": [%d, true], \"shape\": [%d, %d], \"typestr\": \"<f4\", \"version\": 3}"
              .formatted(rows.address(), count, features));
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
      return results.get(ADDRESS, 16).reinterpret(4).get(JAVA_FLOAT, 0);
    }
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

    LightGbm(String library, Path model, int features, int mostRows, Arena arena) {
      this.features = features;
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
      results = arena.allocate(8L * mostRows, 8);
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
                    .invokeExact(booster, 0, 0, -1, FLOATS, features, options, handle));
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
                        booster, rows, FLOATS, count, features, 1, 0, 0, -1, options, length,
                        results);
        check("LGBM_BoosterPredictForMat", status);
      } catch (Throwable thrown) {
        throw new IllegalStateException(thrown);
      }
      return results.get(JAVA_DOUBLE, 0);
    }
  }
}
