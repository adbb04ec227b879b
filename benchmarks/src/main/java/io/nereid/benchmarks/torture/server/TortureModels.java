package io.nereid.benchmarks.torture.server;

import io.nereid.benchmarks.ExampleModels;
import java.nio.file.Path;

/** The model repository of a campaign. */
public final class TortureModels {
  /** A copy of {@code simple} whose requests wait in its queue for up to a second. */
  public static final String DELAYED = "delayed";

  /** A copy of {@code simple} with slots for 80,000 sequences. */
  public static final String SEQUENCE = "sequence";

  private static final String SEQUENCES =
      """

      sequence_batching {
        max_sequence_idle_microseconds: 20000000
        oldest {
          max_candidate_sequences: 80000
        }
      }
      """;

  private static final String DELAY =
      """

      dynamic_batching {
        preferred_batch_size: [ 8 ]
        max_queue_delay_microseconds: 1000000
      }
      """;

  private TortureModels() {}

  /** Writes the models to {@code repository}, which need not exist. */
  public static Path write(Path repository) {
    return new ExampleModels(repository)
        .add("simple")
        .add("identity_fp32")
        .add("identity_bytes")
        .add("simple", DELAYED, DELAY)
        .add("simple", SEQUENCE, SEQUENCES)
        .repository();
  }
}
