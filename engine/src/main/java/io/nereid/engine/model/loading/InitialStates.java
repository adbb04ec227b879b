package io.nereid.engine.model.loading;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.InitialState;
import io.nereid.config.SequenceSettings.State;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.validation.SequenceStateValidator;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The initial states of sequences: zeros, or the contents of {@code initial_state} files. */
public final class InitialStates {
  private static final long MAX_BYTE_SIZE = Integer.MAX_VALUE - 8;

  private InitialStates() {}

  /**
   * Reads the initial states of a model whose configuration has passed {@link
   * SequenceStateValidator}. The tensors are read-only heap memory, with a batch dimension of 1 if
   * the model batches.
   *
   * @return by the name of the state's input; empty unless the model has sequences
   * @throws InferenceException if a file cannot be read, lies outside the model's directory, or is
   *     too small
   */
  public static Map<String, Tensor> read(ModelDirectory directory, ModelConfig config) {
    var tensors = new HashMap<String, Tensor>();
    for (State state : config.sequence().map(SequenceSettings::states).orElse(List.of())) {
      Shape dims =
          state
              .initial()
              .map(InitialState::dims)
              .orElseGet(() -> withoutVariableDims(state.dims()));
      byte[] data = data(directory, state, dims);
      tensors.put(
          state.inputName(),
          new Tensor(
              state.inputName(),
              state.dataType(),
              config.batches() ? dims.withLeading(1) : dims,
              MemorySegment.ofArray(data).asReadOnly()));
    }
    return Map.copyOf(tensors);
  }

  /** The shape with variable dimensions replaced by 1. */
  private static Shape withoutVariableDims(Shape dims) {
    return Shape.of(Arrays.stream(dims.dims()).map(dim -> dim < 0 ? 1 : dim).toArray());
  }

  private static byte[] data(ModelDirectory directory, State state, Shape dims) {
    int byteSize = byteSize(directory, state, dims);
    var file = state.initial().flatMap(InitialState::dataFile);
    if (file.isEmpty()) {
      return new byte[byteSize]; // of BYTES: elements of length 0
    }
    if (state.dataType() == DataType.BYTES) {
      byte[] content = content(directory, state, file.get(), (int) MAX_BYTE_SIZE);
      checkElements(state, file.get(), dims, content);
      return content;
    }
    byte[] content = content(directory, state, file.get(), byteSize);
    if (content.length < byteSize) {
      throw InferenceException.invalid(
          "initial_state setting expects %d bytes, but the data provided from %sonly has %d bytes."
              .formatted(byteSize, file.get(), content.length));
    }
    return content;
  }

  private static int byteSize(ModelDirectory directory, State state, Shape dims) {
    DataType type = state.dataType();
    int elementByteSize = type.hasFixedSize() ? type.byteSize() : BytesElements.PREFIX;
    try {
      long byteSize = Math.multiplyExact(dims.elementCount(), (long) elementByteSize);
      if (byteSize <= MAX_BYTE_SIZE) {
        return (int) byteSize;
      }
    } catch (ArithmeticException tooLarge) {
      // reported below
    }
    throw InferenceException.invalid(
        "model '%s': the initial state of '%s', of shape %s, exceeds the maximum byte size of %d"
            .formatted(directory.name(), state.inputName(), dims, MAX_BYTE_SIZE));
  }

  /** At most the first {@code maxByteSize} bytes of the file. */
  private static byte[] content(
      ModelDirectory directory, State state, String filename, int maxByteSize) {
    String subject =
        "initial_state file '%s' for state input '%s' in model '%s'"
            .formatted(filename, state.inputName(), directory.name());
    try {
      Path file =
          directory
              .fileInside("initial_state/" + filename)
              .orElseThrow(
                  () -> InferenceException.invalid(subject + " is outside model directory"));
      try (var stream = ModelDirectory.open(file)) {
        return stream.readNBytes(maxByteSize);
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

  private static void checkElements(State state, String filename, Shape dims, byte[] content) {
    long count;
    try {
      count = BytesElements.forEach(MemorySegment.ofArray(content), (_, _) -> {});
    } catch (IllegalArgumentException cutOff) {
      throw InferenceException.invalid(
          "initial_state of state '%s' from %s: %s"
              .formatted(state.inputName(), filename, cutOff.getMessage()));
    }
    if (count != dims.elementCount()) {
      throw InferenceException.invalid(
          "initial_state setting expects %d strings for state '%s', but %s has %d"
              .formatted(dims.elementCount(), state.inputName(), filename, count));
    }
  }
}
