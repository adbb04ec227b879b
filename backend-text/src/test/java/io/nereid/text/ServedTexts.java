package io.nereid.text;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.request.Parameter;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Text models in an engine. */
final class ServedTexts implements AutoCloseable {
  /** The models that {@code models.py} has made. */
  static final Path MODELS = Path.of("src/test/resources/models");

  private final Engine engine;

  private ServedTexts(Engine engine) {
    this.engine = engine;
  }

  static ServedTexts open(Path repository) throws IOException {
    return new ServedTexts(Engine.builder().repository(repository).open());
  }

  /** One of the models only. */
  static ServedTexts open(Path repository, String model) throws IOException {
    return new ServedTexts(Engine.builder().repository(repository).startWith(model).open());
  }

  Engine engine() {
    return engine;
  }

  /** A request with a row for each text. */
  static ModelRequest request(String model, Map<String, Parameter> parameters, String... texts) {
    return with(parameters, ModelRequest.to(model).input("TEXT", Shape.of(texts.length, 1), texts));
  }

  static ModelRequest with(Map<String, Parameter> parameters, ModelRequest.Builder request) {
    parameters.forEach(request::parameter);
    return request.build();
  }

  /** The vector of each text. */
  List<float[]> embed(String model, String... texts) {
    return embed(request(model, Map.of(), texts), texts.length);
  }

  List<float[]> embed(ModelRequest request, int rows) {
    try (ModelResponse response = engine.infer(request)) {
      return rows(response.floats("EMBEDDING"), rows);
    }
  }

  /** Rows of an output. */
  static List<float[]> rows(float[] all, int rows) {
    int width = all.length / rows;
    return Stream.iterate(0, row -> row + 1)
        .limit(rows)
        .map(row -> java.util.Arrays.copyOfRange(all, row * width, (row + 1) * width))
        .toList();
  }

  /** A copy of a model that a test may change, the only one of a repository. */
  static Path copy(String model, Path repository) {
    Path source = MODELS.resolve(model);
    try (Stream<Path> files = Files.walk(source)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> {
            Path target = repository.resolve(model).resolve(source.relativize(file).toString());
            try {
              Files.createDirectories(target.getParent());
              Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
          });
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return repository.resolve(model).resolve("1");
  }

  static double cosine(float[] one, float[] other) {
    double product = 0;
    double ones = 0;
    double others = 0;
    for (int i = 0; i < one.length; i++) {
      product += (double) one[i] * other[i];
      ones += (double) one[i] * one[i];
      others += (double) other[i] * other[i];
    }
    return product / Math.sqrt(ones * others);
  }

  @Override
  public void close() {
    engine.close();
  }
}
