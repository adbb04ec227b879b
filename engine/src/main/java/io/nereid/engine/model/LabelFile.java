package io.nereid.engine.model;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The labels of one output's classes, one per line of a file. They are bytes, as in Triton: what
 * the lines mean is between those who write the file and those who ask for classes.
 *
 * @param lines the labels by class index; empty if a class has none
 */
public record LabelFile(List<byte[]> lines) {
  /** The labels of an output without a file. */
  static final LabelFile NONE = new LabelFile(List.of());

  public LabelFile {
    lines = List.copyOf(lines);
  }

  /**
   * Reads the files of all outputs that name one.
   *
   * @return by output name
   * @throws InferenceException if a file lies outside the model's directory or cannot be read
   */
  public static Map<String, LabelFile> readAll(
      ModelDirectory directory, io.nereid.protocol.config.ModelConfig config) {
    var labels = new HashMap<String, LabelFile>();
    for (var output : config.getOutputList()) {
      if (!output.getLabelFilename().isEmpty()) {
        labels.put(output.getName(), read(directory, output.getName(), output.getLabelFilename()));
      }
    }
    return Map.copyOf(labels);
  }

  private static LabelFile read(ModelDirectory directory, String output, String filename) {
    try {
      Path file =
          directory
              .fileInside(filename)
              .orElseThrow(() ->
                  InferenceException.unsupported(
                      "label file path '%s' for output '%s' in model '%s' is outside model directory"
                          .formatted(filename, output, directory.name())));
      return of(ModelDirectory.read(file));
    } catch (NoSuchFileException missing) {
      throw InferenceException.invalid(
          "label file '%s' for output '%s' in model '%s' does not exist"
              .formatted(filename, output, directory.name()));
    } catch (IOException unreadable) {
      throw new InferenceException(
          StatusCode.INTERNAL,
          "label file '%s' for output '%s' in model '%s' cannot be read: %s"
              .formatted(filename, output, directory.name(), IoReason.of(unreadable)),
          unreadable);
    }
  }

  /**
   * The lines of a text: what is before each line feed, and behind the last if that is something.
   */
  private static LabelFile of(byte[] text) {
    List<byte[]> lines = new ArrayList<>();
    int begin = 0;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\n') {
        lines.add(Arrays.copyOfRange(text, begin, i));
        begin = i + 1;
      }
    }
    if (begin < text.length) {
      lines.add(Arrays.copyOfRange(text, begin, text.length));
    }
    return new LabelFile(lines);
  }
}
