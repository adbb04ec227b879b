package io.nereid.tensorrt.build;

import io.nereid.tensorrt.build.onnx.OnnxGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * An ONNX model as it lies on disk.
 *
 * @param hashes SHA-256 in hexadecimal of the file and of the files with external weights, by name
 */
record ModelContent(OnnxGraph graph, Map<String, String> hashes) {
  ModelContent {
    hashes = new TreeMap<>(hashes);
  }

  /**
   * Reads what determines a plan.
   *
   * @throws IOException if a file cannot be read, is no ONNX model, or lies elsewhere; the message
   *     is one line, and names the file if it is not {@code onnxFile}
   */
  static ModelContent read(Path onnxFile) throws IOException {
    OnnxGraph graph = OnnxGraph.read(onnxFile);
    Map<String, String> hashes = new TreeMap<>();
    hashes.put("", hash(onnxFile));
    Path directory =
        Objects.requireNonNull(onnxFile.toAbsolutePath().normalize().getParent(), "no directory");
    for (String name : graph.externalFiles()) {
      Path file = directory.resolve(name).normalize();
      if (!file.startsWith(directory)) {
        throw new IOException("its external weights '%s' are in another directory".formatted(name));
      }
      if (!Files.isRegularFile(file)) {
        throw new IOException("there is no file '%s' with its external weights".formatted(file));
      }
      hashes.put(name, hash(file));
    }
    return new ModelContent(graph, hashes);
  }

  private static String hash(Path file) throws IOException {
    return HexFormat.of().formatHex(Hashes.sha256(file));
  }
}
