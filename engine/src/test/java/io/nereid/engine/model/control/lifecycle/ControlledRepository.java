package io.nereid.engine.model.control.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;

/**
 * A model repository that a test changes. Whatever is written is as old as no other file before, so
 * that no change goes unnoticed, however fast the test is.
 */
final class ControlledRepository {
  /** All models have these, so that they can be steps of one another. */
  static final String TENSORS =
      """
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  private final Path path;
  private Instant time = Instant.parse("2026-01-01T00:00:00Z");

  ControlledRepository(Path path) {
    this.path = path;
  }

  /** The configuration of a model of the backend {@code lifecycle} with one instance. */
  static String config(String more) {
    return config(1, more);
  }

  /** The configuration of a model of the backend {@code lifecycle}. */
  static String config(int instances, String more) {
    return """
    backend: "lifecycle"
    max_batch_size: 0
    %s
    instance_group { name: "g" kind: KIND_CPU count: %d }
    %s
    """
        .formatted(TENSORS, instances, more);
  }

  /** The configuration of an ensemble that passes a tensor through models, one after the other. */
  static String ensemble(String... models) {
    return ensemble(-1, "", models);
  }

  /**
   * The configuration of an ensemble that passes a tensor through models.
   *
   * @param version of each step
   */
  static String ensemble(long version, String more, String... models) {
    var steps = new StringBuilder();
    for (int k = 0; k < models.length; k++) {
      steps.append(
          """
          step {
            model_name: "%s" model_version: %d
            input_map { key: "IN0" value: "%s" }
            output_map { key: "OUT0" value: "%s" }
          }
          """
              .formatted(
                  models[k],
                  version,
                  k == 0 ? "IN0" : "t" + k,
                  k == models.length - 1 ? "OUT0" : "t" + (k + 1)));
    }
    return """
    platform: "ensemble"
    max_batch_size: 0
    %s
    %s
    ensemble_scheduling { %s }
    """
        .formatted(TENSORS, more, steps);
  }

  /** Writes a model of the backend {@code lifecycle}. */
  ControlledRepository model(String name, long... versions) {
    return model(name, config(""), versions);
  }

  ControlledRepository model(String name, String config, long... versions) {
    write(name + "/config.pbtxt", config);
    for (long version : versions) {
      version(name, version);
    }
    return this;
  }

  /** Writes a version directory with one file. */
  ControlledRepository version(String name, long version) {
    return write("%s/%d/model.bin".formatted(name, version), "model");
  }

  synchronized ControlledRepository write(String file, String text) {
    Path target = path.resolve(file);
    try {
      Files.createDirectories(target.resolveSibling(""));
      Files.writeString(target, text);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return touch(file);
  }

  /** Makes a file newer than all others. */
  synchronized ControlledRepository touch(String file) {
    time = time.plusSeconds(1);
    return touch(file, time);
  }

  /** Makes a file older than all others. */
  ControlledRepository age(String file) {
    return touch(file, Instant.parse("2025-01-01T00:00:00Z"));
  }

  private ControlledRepository touch(String file, Instant modified) {
    try {
      Files.setLastModifiedTime(path.resolve(file), FileTime.from(modified));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return this;
  }

  ControlledRepository directory(String name) {
    try {
      Files.createDirectories(path.resolve(name));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return this;
  }

  /** Deletes a file, or a directory with all that is in it. */
  ControlledRepository delete(String file) {
    try (Stream<Path> paths = Files.walk(path.resolve(file))) {
      for (Path each : paths.toList().reversed()) {
        Files.delete(each);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    return this;
  }
}
