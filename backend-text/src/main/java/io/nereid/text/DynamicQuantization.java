package io.nereid.text;

import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a graph is quantised dynamically: it has an operator that finds one scale for all numbers
 * of a tensor, those of other texts and of padding included. Operators are in the file by name.
 */
final class DynamicQuantization {
  private static final byte[] OPERATOR =
      "DynamicQuantizeLinear".getBytes(StandardCharsets.US_ASCII);

  private DynamicQuantization() {}

  /** False for a file that does not exist, which the load finds. */
  static boolean isIn(Path graph) {
    if (!Files.isRegularFile(graph)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(graph);
        Arena arena = Arena.ofConfined()) {
      return contains(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
    } catch (IOException unreadable) {
      throw InferenceException.unavailable(
          "cannot read '%s': %s".formatted(graph, IoReason.of(unreadable)));
    }
  }

  private static boolean contains(MemorySegment file) {
    long last = file.byteSize() - OPERATOR.length;
    for (long at = 0; at <= last; at++) {
      if (file.get(ValueLayout.JAVA_BYTE, at) == OPERATOR[0]
          && file.asSlice(at, OPERATOR.length).mismatch(MemorySegment.ofArray(OPERATOR)) < 0) {
        return true;
      }
    }
    return false;
  }
}
