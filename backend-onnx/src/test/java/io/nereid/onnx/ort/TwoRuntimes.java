package io.nereid.onnx.ort;

import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;

/** A process with two users of ONNX Runtime: this backend, and the Java API on the class path. */
final class TwoRuntimes {
  private static final int INT32 = 6;
  private static final Shape ROW = Shape.of(1, 16);
  private static final int[] NUMBERS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

  private TwoRuntimes() {}

  /**
   * Runs the model {@code simple} with both, twice, and prints their versions.
   *
   * @param arguments the first of the two, {@code backend} or {@code api}; the library of the
   *     backend; the model's file
   */
  public static void main(String... arguments) throws Exception {
    Path library = Path.of(arguments[1]);
    Path model = Path.of(arguments[2]);
    if (arguments[0].equals("backend")) {
      try (var backend = open(library);
          var api = new JavaApi(model)) {
        run(model, backend, api);
      }
    } else {
      try (var api = new JavaApi(model);
          var backend = open(library)) {
        run(model, backend, api);
      }
    }
  }

  private static OrtEnvironment open(Path library) throws Exception {
    return OrtEnvironment.open(Optional.of(library), Optional.empty(), Optional.empty(), false);
  }

  private static void run(Path model, OrtEnvironment backend, JavaApi api) throws Exception {
    for (int round = 0; round < 2; round++) {
      System.out.printf("sums %d and %d%n", sum(model, backend), api.sum(NUMBERS));
    }
    System.out.printf("backend %s, API %s%n", backend.libraryVersion(), api.version());
  }

  private static int sum(Path model, OrtEnvironment environment) {
    try (var arena = Arena.ofConfined();
        var options = environment.options();
        var session = environment.open(model, options);
        var run = session.openRun()) {
      MemorySegment numbers = arena.allocateFrom(ValueLayout.JAVA_INT, NUMBERS);
      MemorySegment sum = arena.allocate(numbers.byteSize(), 64);
      run.begin();
      run.input(0, numbers, INT32, ROW);
      run.input(1, numbers, INT32, ROW);
      run.output(0, sum, INT32, ROW);
      run.run();
      return sum.getAtIndex(ValueLayout.JAVA_INT, 15);
    }
  }
}
