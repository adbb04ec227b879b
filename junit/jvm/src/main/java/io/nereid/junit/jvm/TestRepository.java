package io.nereid.junit.jvm;

import io.nereid.config.ModelConfig;
import io.nereid.config.ModelConfigParser;
import io.nereid.config.TensorConfig;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary model repository: one model by links to its files, and the configurations of those
 * that others stand for. The close deletes it, and none of what the links lead to.
 *
 * @param folder the model's own, absolute
 */
record TestRepository(Path directory, Path folder) implements AutoCloseable {
  private static final String TEXT =
      "stub(name, text, model) takes a text, such as './nereid config' prints of a model";

  private static final String CONFIG = "config.pbtxt";
  private static final Pattern BACKEND = Pattern.compile("\\b(backend|platform)\\s*:");
  private static final Pattern VERSION = Pattern.compile("[1-9][0-9]*");

  /** A repository with the model of a folder; with a version of no files if it has none. */
  static TestRepository of(Path folder) throws IOException {
    if (!Files.isRegularFile(folder.resolve(CONFIG))) {
      throw new IllegalArgumentException(
          Files.isDirectory(folder)
              ? "there is no model in %s: it has no %s".formatted(folder, CONFIG)
              : "there is no folder %s of a model".formatted(folder));
    }
    var repository = new TestRepository(Files.createTempDirectory("nereid-models"), folder);
    Path model = Files.createDirectory(repository.directory.resolve(name(folder)));
    boolean hasVersion = false;
    for (Path file : files(folder)) {
      String name = file.getFileName().toString();
      Files.createSymbolicLink(model.resolve(name), file);
      hasVersion |= VERSION.matcher(name).matches();
    }
    if (!hasVersion) {
      Files.createDirectory(model.resolve("1"));
    }
    return repository;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  /** The name of the model in a folder. */
  static String name(Path folder) {
    return String.valueOf(folder.getFileName());
  }

  /**
   * Adds a model whose code is the test's.
   *
   * @param config its configuration; null for the one beside the folder of the tested model
   * @throws IllegalArgumentException if there is none, or it lacks inputs or outputs
   * @throws io.nereid.error.InferenceException if it is wrong, with all that is
   */
  void addStub(String model, @Nullable String config) throws IOException {
    Path declared = folder.resolveSibling(model).resolve(CONFIG);
    if (config == null && !Files.isRegularFile(declared)) {
      throw new IllegalArgumentException(
          calls().contains(model)
              ? "the stub of model '%s' has no configuration: there is no %s; %s"
                  .formatted(model, declared, TEXT)
              : "there is a stub of model '%s', which model '%s' does not call: its parameter '%s'"
                      .formatted(model, name(folder), ModelConfig.CALLS)
                  + " names "
                  + calls());
    }
    String text = config == null ? Files.readString(declared) : config;
    String source =
        config == null
            ? declared.toString()
            : "the configuration of the stub of model '%s'".formatted(model);
    Path target = directory.resolve(model);
    Files.createDirectories(target.resolve("1"));
    ModelConfig parsed =
        parser()
            .parse(
                target,
                BACKEND.matcher(text).find() ? text : text + "\nbackend: \"java\"\n",
                source);
    if (parsed.inputs().isEmpty() || parsed.outputs().isEmpty()) {
      throw new IllegalArgumentException(
          "the stub of model '%s' has no inputs or no outputs in its configuration%s"
              .formatted(model, config == null ? " %s; %s".formatted(declared, TEXT) : ""));
    }
    Files.writeString(target.resolve(CONFIG), signature(parsed));
  }

  private static ModelConfigParser parser() {
    return ServiceLoader.load(ModelConfigParser.class, TestRepository.class.getClassLoader())
        .findFirst()
        .orElseThrow();
  }

  /** The models that the tested one calls. */
  List<String> calls() {
    return parser().parse(folder).calls();
  }

  /** What callers see of a model. */
  private static String signature(ModelConfig config) {
    List<String> lines = new ArrayList<>();
    lines.add("backend: \"java\"");
    lines.add("max_batch_size: " + config.maxBatchSize());
    config.inputs().forEach(input -> lines.add(tensor("input", input)));
    config.outputs().forEach(output -> lines.add(tensor("output", output)));
    if (config.decoupled()) {
      lines.add("model_transaction_policy { decoupled: true }");
    }
    return String.join("\n", lines) + "\n";
  }

  private static String tensor(String kind, TensorConfig tensor) {
    return "%s { name: \"%s\" data_type: %s dims: [ %s ]%s%s }"
        .formatted(
            kind,
            tensor.name(),
            tensor.dataType().configName(),
            dims(tensor.dims()),
            tensor
                .reshape()
                .map(shape -> " reshape { shape: [ %s ] }".formatted(dims(shape)))
                .orElse(""),
            tensor.optional() ? " optional: true" : "");
  }

  private static String dims(Shape shape) {
    return Arrays.stream(shape.dims()).mapToObj(Long::toString).collect(Collectors.joining(", "));
  }

  @Override
  public void close() throws IOException {
    if (Files.notExists(directory)) { // a second call
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) { // which follows no links
      for (Path each : files.toList().reversed()) {
        Files.delete(each);
      }
    }
  }
}
