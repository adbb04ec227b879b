package io.nereid.text.folder;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.nereid.error.InferenceException;
import io.nereid.spi.ModelFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The parts of a model of sentence-transformers: {@code modules.json}, or the folders that have the
 * usual names.
 *
 * @param transformer folder with the files of the transformer
 * @param pooling the pooling of {@code 1_Pooling/config.json}
 * @param dense the folders of layers behind it, in order
 */
record Modules(Path transformer, Optional<Pooling> pooling, List<Path> dense) {
  private static final List<String> DONE_ANYWAY = List.of("Normalize", "Dropout");

  static Modules of(ModelFiles files) {
    Path root = files.versionDirectory();
    Path list = root.resolve("modules.json");
    if (Files.isRegularFile(list)) {
      return listed(files, list);
    }
    Path dense = root.resolve("2_Dense");
    return new Modules(
        root,
        pooling(root.resolve("1_Pooling")),
        Files.isDirectory(dense) ? List.of(dense) : List.of());
  }

  private static Modules listed(ModelFiles files, Path list) {
    if (!(JsonFile.parse(list) instanceof JsonArray modules)) {
      throw InferenceException.invalid("'%s' is no JSON array".formatted(list));
    }
    Path transformer = files.versionDirectory();
    Optional<Pooling> pooling = Optional.empty();
    List<Path> dense = new ArrayList<>();
    for (JsonElement element : modules) {
      if (!(element instanceof JsonObject object)) {
        throw InferenceException.invalid("'%s' must have objects, got %s".formatted(list, element));
      }
      var module = new JsonFile(list.toString(), object);
      Path folder = files.file(module.text("path").orElse(""));
      String type = module.text("type").orElse("");
      String name = type.substring(type.lastIndexOf('.') + 1);
      switch (name) {
        case "Transformer" -> transformer = folder;
        case "Pooling" -> pooling = pooling(folder);
        case "Dense" -> dense.add(folder);
        default -> {
          if (!DONE_ANYWAY.contains(name)) {
            throw InferenceException.invalid(
                ("'%s' has a module of type '%s'; Transformer, Pooling, Dense and Normalize"
                        + " are served")
                    .formatted(list, type));
          }
        }
      }
    }
    return new Modules(transformer, pooling, List.copyOf(dense));
  }

  private static Optional<Pooling> pooling(Path folder) {
    Optional<JsonFile> read = JsonFile.read(folder.resolve("config.json"));
    if (read.isEmpty()) {
      return Optional.empty();
    }
    JsonFile config = read.get();
    if (!config.flag("include_prompt").orElse(true)) {
      throw InferenceException.invalid(
          "'%s': 'include_prompt' is false, but prompts are pooled with their texts"
              .formatted(config.file()));
    }
    Optional<String> mode = config.text("pooling_mode");
    List<String> modes =
        mode.isPresent()
            ? List.of(mode.get())
            : config.object().keySet().stream()
                .filter(key -> key.startsWith("pooling_mode_"))
                .filter(key -> config.flag(key).orElse(false))
                .map(key -> key.substring("pooling_mode_".length()))
                .toList();
    return Optional.of(
        switch (modes.size() == 1 ? modes.getFirst() : "") {
          case "cls", "cls_token" -> Pooling.CLS;
          case "mean", "mean_tokens" -> Pooling.MEAN;
          case "lasttoken" -> Pooling.LAST;
          default ->
              throw InferenceException.invalid(
                  "'%s' says the pooling %s; one of cls, mean and lasttoken is served"
                      .formatted(config.file(), modes));
        });
  }
}
