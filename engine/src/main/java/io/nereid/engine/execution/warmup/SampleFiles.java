package io.nereid.engine.execution.warmup;

import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The files in a model's directory {@code warmup}.
 *
 * @param model the model's name
 * @param data the memory of what is read
 */
record SampleFiles(String model, Warmup.Files directory, SampleData data) {
  /** What to do with an open file. */
  private interface Reading {
    MemorySegment read(SeekableByteChannel file) throws IOException;
  }

  /**
   * The first bytes of a file.
   *
   * @throws InferenceException if it has fewer, or cannot be read
   */
  MemorySegment read(String input, String filename, long byteSize) {
    return read(
        input,
        filename,
        file -> {
          if (file.size() < byteSize) {
            throw InferenceException.invalid(
                "%swarmup setting expects %d bytes, but the data provided from %sonly has %d bytes"
                    .formatted(RequestErrors.prefix(""), byteSize, filename, file.size()));
          }
          return data.read(file, byteSize);
        });
  }

  /**
   * A whole file.
   *
   * @throws InferenceException if it cannot be read
   */
  MemorySegment readAll(String input, String filename) {
    return read(input, filename, file -> data.read(file, file.size()));
  }

  private MemorySegment read(String input, String filename, Reading reading) {
    String subject =
        "warmup file '%s' for input '%s' of model '%s'".formatted(filename, input, model);
    try {
      Path path =
          directory
              .inside("warmup/" + filename)
              .orElseThrow(
                  () -> InferenceException.invalid(subject + " is outside model directory"));
      if (!Files.isRegularFile(path)) {
        throw InferenceException.invalid(subject + " is not a file");
      }
      try (SeekableByteChannel file = Files.newByteChannel(path)) {
        return reading.read(file);
      }
    } catch (NoSuchFileException missing) {
      throw InferenceException.invalid(subject + " does not exist");
    } catch (IOException unreadable) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "%s cannot be read: %s".formatted(subject, IoReason.of(unreadable)),
          unreadable);
    }
  }
}
