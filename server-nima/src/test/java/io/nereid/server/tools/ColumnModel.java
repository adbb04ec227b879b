package io.nereid.server.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A model with an input for each column: what it answers is of one row by itself. */
final class ColumnModel {
  /** Allows the code of Java models. */
  static final List<String> ALLOWED = List.of("--backend-config", "java,allow=true");

  private static final String CONFIG =
      """
      backend: "java"
      max_batch_size: 2
      input { name: "age" data_type: TYPE_FP32 dims: [ 1 ] }
      input { name: "city" data_type: TYPE_STRING dims: [ 1 ] }
      output { name: "next" data_type: TYPE_FP32 dims: [ 1 ] }
      output { name: "greeting" data_type: TYPE_STRING dims: [ 1 ] }
      """;

  private static final String SOURCE =
      """
      import io.nereid.error.InferenceException;
      import io.nereid.java.Calls;
      import io.nereid.java.JavaModel;
      import io.nereid.java.Request;
      import io.nereid.java.Response;
      import io.nereid.java.TensorArrays;
      import java.util.List;

      public final class Columns implements JavaModel {
        @Override
        public Response infer(Request request, Calls calls) {
          float[] ages = TensorArrays.floats(request.input("age"));
          List<String> cities = TensorArrays.strings(request.input("city"));
          for (int i = 0; i < ages.length; i++) {
            ages[i]++;
            if (cities.get(i).matches("REFUSED")) {
              throw InferenceException.invalid("row %d: no city '%s'".formatted(i, cities.get(i)));
            }
          }
          return Response.of(
              TensorArrays.of("next", ages, ages.length, 1),
              TensorArrays.of(
                  "greeting", cities.stream().map(city -> "Hello, " + city).toList(), cities.size(), 1));
        }
      }
      """;

  private ColumnModel() {}

  /** Writes the model {@code columns}, which takes no city with a digit; returns its folder. */
  static Path in(Path repository) throws IOException {
    return write(repository.resolve("columns"), ".*[0-9].*");
  }

  /** As {@link #in}, a model that takes no made-up names of cities. */
  static Path strictIn(Path repository) throws IOException {
    return write(repository.resolve("strict"), "[a-z]{8}");
  }

  /** As {@link #in}, a model whose city is optional. */
  static Path lackingIn(Path repository) throws IOException {
    Path model = write(repository.resolve("lacking"), "");
    String optional =
        CONFIG.replace(
            "TYPE_STRING dims: [ 1 ] }\noutput",
            "TYPE_STRING dims: [ 1 ] optional: true }\noutput");
    Files.writeString(model.resolve("config.pbtxt"), optional);
    return model;
  }

  private static Path write(Path model, String refused) throws IOException {
    Files.createDirectories(model.resolve("1"));
    Files.writeString(model.resolve("config.pbtxt"), CONFIG);
    Files.writeString(model.resolve("1/Columns.java"), SOURCE.replace("REFUSED", refused));
    return model;
  }
}
