package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The model repository of a campaign. */
public final class TortureModels {
  /** A copy of {@code simple} whose requests wait in its queue for up to a second. */
  public static final String DELAYED = "delayed";

  /** A copy of {@code simple} with slots for {@link #SLOTS} sequences. */
  public static final String SEQUENCE = "sequence";

  public static final int SLOTS = 80_000;

  private static final String SEQUENCES =
      """

      sequence_batching {
        max_sequence_idle_microseconds: 20000000
        oldest {
          max_candidate_sequences: %d
        }
      }
      """
          .formatted(SLOTS);

  private static final String DELAY =
      """

      dynamic_batching {
        preferred_batch_size: [ 8 ]
        max_queue_delay_microseconds: 1000000
      }
      """;

  private TortureModels() {}

  /** Writes the models to {@code repository}, which need not exist. */
  public static Path write(Path repository) throws IOException {
    model(repository, "simple", "simple", "");
    model(repository, "identity_fp32", "identity_fp32", "");
    model(repository, "identity_bytes", "identity_bytes", "");
    model(repository, "simple", DELAYED, DELAY);
    model(repository, "simple", SEQUENCE, SEQUENCES);
    return repository;
  }

  /** The ONNX file of one of the {@code examples/models}. */
  public static byte[] example(String model) throws IOException {
    return resource(model + "/1/model.onnx");
  }

  private static void model(Path repository, String example, String name, String more)
      throws IOException {
    Path version = Files.createDirectories(repository.resolve(name).resolve("1"));
    Files.write(version.resolve("model.onnx"), example(example));
    String config = new String(resource(example + "/config.pbtxt"), StandardCharsets.UTF_8);
    Files.writeString(
        repository.resolve(name).resolve("config.pbtxt"),
        config.replace("name: \"" + example + "\"", "name: \"" + name + "\"") + more);
  }

  /** A file of {@code examples/models}, which the build puts on the class path. */
  private static byte[] resource(String file) throws IOException {
    try (var content = TortureModels.class.getResourceAsStream("/" + file)) {
      if (content == null) {
        throw new IOException("not on the class path: " + file);
      }
      return content.readAllBytes();
    }
  }
}
