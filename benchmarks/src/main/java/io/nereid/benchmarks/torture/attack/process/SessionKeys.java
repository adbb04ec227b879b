package io.nereid.benchmarks.torture.attack.process;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.engine.file.FileTree;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Load requests whose parameters would have ONNX Runtime write a file, or open a library. They must
 * be refused, and leave no file.
 */
public final class SessionKeys implements Attack.Script {
  private static final String MODEL = "identity_fp32";

  /** Parameters that name a file, or what is written to one. */
  private static final List<String> KEYS =
      List.of(
          "session.optimized_model_filepath",
          "session.enable_profiling",
          "session.profile_file_prefix",
          "session.collect_node_memory_stats_to_file",
          "session.debug_layout_transformation",
          "session.resource_cuda_partitioning_settings");

  @Override
  public AttackOutcome run(Scene scene) throws IOException {
    InetSocketAddress http = scene.target().http();
    Path folder = Files.createTempDirectory("nereid-torture");
    String config = LoadRequest.config(http, MODEL);
    String upload =
        "\"file:1/model.onnx\":\"%s\""
            .formatted(Base64.getEncoder().encodeToString(ExampleModels.onnx(MODEL)));
    List<LoadRequest> requests = new ArrayList<>();
    for (String key : KEYS) {
      String changed = with(config, key, folder.resolve("written").toString());
      requests.add(new LoadRequest(key, MODEL, changed, ""));
      requests.add(new LoadRequest(key + ", uploaded", MODEL, changed, upload));
    }
    String library = folder.resolve("library.so").toString();
    requests.add(
        new LoadRequest(
            "op_library_filename",
            MODEL,
            config
                .replaceFirst("\"model_operations\":\\{[^}]*\\},?", "")
                .replaceFirst(
                    "\\{",
                    "{\"model_operations\":{\"op_library_filename\":[\"%s\"]},".formatted(library)),
            ""));
    List<String> violations = new ArrayList<>();
    for (LoadRequest request : requests) {
      String answer = request.answer(http);
      if (!LoadRequest.isRefusal(answer)) {
        violations.add(request.name() + ": " + answer);
      } else if (answer.contains(folder.toString()) && answer.contains("library.so:")) {
        violations.add(request.name() + ": the library was looked for: " + answer);
      }
    }
    int loaded = violations.size();
    violations.addAll(files(folder));
    var _ = LoadRequest.restore(http, MODEL, config);
    return new AttackOutcome(
        "%d of %d refused, %d files written"
            .formatted(requests.size() - loaded, requests.size(), violations.size() - loaded),
        violations);
  }

  private static String with(String config, String key, String value) {
    String parameter = "\"%s\":{\"string_value\":\"%s\"}".formatted(key, value);
    return config.contains("\"parameters\":{\"")
        ? config.replace("\"parameters\":{\"", "\"parameters\":{" + parameter + ",\"")
        : config.contains("\"parameters\":{}")
            ? config.replace("\"parameters\":{}", "\"parameters\":{" + parameter + "}")
            : config.replaceFirst("\\{", "{\"parameters\":{" + parameter + "},");
  }

  /** Deletes the folder, and returns a sentence for each file in it. */
  private static List<String> files(Path folder) throws IOException {
    List<Path> files = FileTree.list(folder);
    FileTree.delete(folder);
    return files.stream().map(file -> "a file was written: " + file.getFileName()).toList();
  }
}
