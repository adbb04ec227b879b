package io.nereid.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The model repository that server verifications are run against. {@code models/index.tsv} lists
 * each model and its versions, since the folders of a jar cannot be listed.
 */
public final class TckModels {
  private TckModels() {}

  public static List<String> names() {
    return List.copyOf(index().keySet());
  }

  /** The versions of one of the models. */
  public static List<String> versions(String model) {
    return Objects.requireNonNull(index().get(model), model);
  }

  /** Writes the repository into {@code repository}, a folder that exists. */
  public static void extractTo(Path repository) throws IOException {
    for (var entry : index().entrySet()) {
      Path model = repository.resolve(entry.getKey());
      for (String version : entry.getValue()) {
        Files.createDirectories(model.resolve(version));
      }
      Files.writeString(model.resolve("config.pbtxt"), config(entry.getKey()));
    }
  }

  /** The configuration of one of the models, in text format. */
  public static String config(String model) {
    return TckFiles.text("models/" + model + "/config.pbtxt");
  }

  private static Map<String, List<String>> index() {
    Map<String, List<String>> versions = new LinkedHashMap<>();
    for (String line : TckFiles.text("models/index.tsv").lines().toList()) {
      String[] columns = line.split("\t", -1);
      versions.put(columns[0], List.of(columns[1].split(",", -1)));
    }
    return versions;
  }
}
