package io.nereid.tck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The model repository that server verifications are run against. {@code models/index.tsv} lists
 * each model and its versions, since the folders of a jar cannot be listed.
 */
public final class TckModels {
  private TckModels() {}

  /** The names of the models. */
  public static List<String> names() {
    return TckFiles.text("models/index.tsv").lines().map(line -> line.split("\t", -1)[0]).toList();
  }

  /** Writes the repository into {@code repository}, a folder that exists. */
  public static void extractTo(Path repository) throws IOException {
    for (String line : TckFiles.text("models/index.tsv").lines().toList()) {
      String[] columns = line.split("\t", -1);
      Path model = repository.resolve(columns[0]);
      for (String version : columns[1].split(",", -1)) {
        Files.createDirectories(model.resolve(version));
      }
      Files.writeString(model.resolve("config.pbtxt"), config(columns[0]));
    }
  }

  /** The configuration of one of the models, in text format. */
  public static String config(String model) {
    return TckFiles.text("models/" + model + "/config.pbtxt");
  }
}
