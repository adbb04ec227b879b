package io.nereid.server.soak;

import io.nereid.engine.model.config.ModelOnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The models of a soak test. Those of the files backend answer with their release; each change
 * writes another one, or another number of instances. The ensemble answers with the release of its
 * model {@code member}.
 */
final class SoakRepository {
  static final String PLAIN = "plain";
  static final String MEMBER = "member";
  static final String ENSEMBLE = "pair";
  static final String ONNX = "onnx";

  private static final String TENSORS =
      """
      input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
      output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
      """;
  private static final String FILES =
      """
      backend: "files"
      %sinstance_group { count: %d kind: KIND_CPU }
      parameters { key: "release" value { string_value: "%s" } }
      """;
  private static final String STEP =
      """
      step { model_name: "%s" model_version: -1
        input_map { key: "IN0" value: "%s" } output_map { key: "OUT0" value: "%s" } }
      """;
  private static final String ONNX_CONFIG =
      """
      backend: "onnxruntime"
      input { name: "IN" data_type: TYPE_FP32 dims: [ -1 ] }
      output { name: "OUT" data_type: TYPE_FP32 dims: [ -1 ] }
      parameters { key: "intra_op_thread_count" value { string_value: "1" } }
      """;
  private static final Path GRAPH =
      Path.of("../backend-onnx/src/test/resources/models/identity_fp32.onnx").toAbsolutePath();

  private final Path path;
  private long seconds = 1;

  SoakRepository(Path path) throws IOException {
    this.path = path;
    write(PLAIN, "r0", 1, 2);
    write(MEMBER, "r0", 1, 1);
    ModelOnDisk.of(
        path,
        "tail",
        "backend: \"gate\"\n"
            + TENSORS
            + "parameters { key: \"gate_open\" value { string_value: \"true\" } }");
    ModelOnDisk.of(
        path,
        ENSEMBLE,
        "platform: \"ensemble\"\n"
            + TENSORS
            + "ensemble_scheduling {\n"
            + STEP.formatted(MEMBER, "IN0", "release")
            + STEP.formatted("tail", "release", "OUT0")
            + "}");
    Path onnx = ModelOnDisk.of(path, ONNX, ONNX_CONFIG).path();
    Files.copy(GRAPH, onnx.resolve("1/model.onnx"));
  }

  /** Writes all files of a model of the files backend, without other versions. */
  void write(String model, String release, long version, int instances) throws IOException {
    ModelOnDisk directory = ModelOnDisk.named(path, model);
    delete(directory.path());
    directory
        .withConfig(FILES.formatted(TENSORS, instances, release))
        .withFile("labels.txt", release)
        .withFile(version + "/model.txt", release + " end");
  }

  /** Changes the number of instances, and nothing else. */
  void instances(String model, String release, int instances) throws IOException {
    ModelOnDisk.named(path, model).withConfig(FILES.formatted(TENSORS, instances, release));
    touch(path.resolve(model).resolve("config.pbtxt"));
  }

  /** Changes the time of the graph of the ONNX model. */
  void touchGraph() throws IOException {
    touch(path.resolve(ONNX).resolve("1/model.onnx"));
  }

  /** Sets a time that no file has had, however coarse the times of the file system are. */
  private void touch(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000 * seconds++));
  }

  private static void delete(Path directory) throws IOException {
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(directory)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : paths) {
      Files.delete(each);
    }
  }
}
