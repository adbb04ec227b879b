package io.nereid.engine;

import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request to a model of an {@link Engine}. The memory of its inputs, arrays or segments of any
 * kind, stays the caller's: it is copied when the request is sent. A request can be sent several
 * times.
 *
 * @param version empty for the newest that is ready
 * @param id returned with the response; may be empty
 * @param outputs the names of those that are wanted; empty for all
 * @param timeout until the request is cancelled, from when it is sent; empty for any time
 */
public record ModelRequest(
    String model,
    OptionalLong version,
    String id,
    List<Tensor> inputs,
    List<String> outputs,
    RequestOptions options,
    Optional<Duration> timeout) {
  public ModelRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** Begins a request to the newest version of a model. */
  public static Builder to(String model) {
    return new Builder(model);
  }

  /** Makes a request. Used by one thread. */
  public static final class Builder {
    private final String model;
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private OptionalLong version = OptionalLong.empty();
    private String id = "";
    private SequenceId sequence = SequenceId.NONE;
    private boolean sequenceStart;
    private boolean sequenceEnd;
    private long priority;
    private long queueTimeoutMicros;
    private Optional<Duration> timeout = Optional.empty();

    private Builder(String model) {
      this.model = model;
    }

    /** Asks for this version. */
    public Builder version(long newVersion) {
      version = OptionalLong.of(newVersion);
      return this;
    }

    /** Sets what the response returns as its id. */
    public Builder id(String newId) {
      id = newId;
      return this;
    }

    /**
     * Adds an input.
     *
     * @param shape including the batch dimension where the model has one
     * @param data packed, row-major, little-endian; strings in the layout of {@link BytesElements}
     * @throws IllegalArgumentException if the shape has another number of elements, or one that is
     *     not known; so do the other methods for inputs
     */
    public Builder input(String name, DataType dataType, Shape shape, MemorySegment data) {
      if (dataType.hasFixedSize()) {
        check(name, shape, dataType.byteSize(), data.byteSize(), "bytes");
      }
      inputs.add(new Tensor(name, dataType, shape, data));
      return this;
    }

    /** Adds an input of FP32. */
    public Builder input(String name, Shape shape, float... data) {
      return input(name, DataType.FP32, shape, MemorySegment.ofArray(data));
    }

    /** Adds an input of FP64. */
    public Builder input(String name, Shape shape, double... data) {
      return input(name, DataType.FP64, shape, MemorySegment.ofArray(data));
    }

    /** Adds an input of INT32. */
    public Builder input(String name, Shape shape, int... data) {
      return input(name, DataType.INT32, shape, MemorySegment.ofArray(data));
    }

    /** Adds an input of INT64. */
    public Builder input(String name, Shape shape, long... data) {
      return input(name, DataType.INT64, shape, MemorySegment.ofArray(data));
    }

    /** Adds an input of BYTES, whose elements are in UTF-8. */
    public Builder input(String name, Shape shape, String... data) {
      check(name, shape, 1, data.length, "strings");
      List<byte[]> elements =
          Arrays.stream(data).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
      var bytes = new byte[Math.toIntExact(BytesElements.byteSize(elements))];
      MemorySegment segment = MemorySegment.ofArray(bytes);
      long offset = 0;
      for (byte[] element : elements) {
        offset = BytesElements.put(segment, offset, element);
      }
      return input(name, DataType.BYTES, shape, segment);
    }

    private void check(String name, Shape shape, long unit, long given, String what) {
      if (!shape.isConcrete()) {
        throw new IllegalArgumentException(
            "model '%s': the input '%s' has the shape %s, whose dimensions must all be known"
                .formatted(model, name, shape));
      }
      long expected = Math.multiplyExact(shape.elementCount(), unit);
      if (given != expected) {
        throw new IllegalArgumentException(
            "model '%s': the input '%s' of shape %s has %d %s, expected %d"
                .formatted(model, name, shape, given, what, expected));
      }
    }

    /** Asks for this output, in addition to those asked for before; without a call, for all. */
    public Builder output(String name) {
      outputs.add(name);
      return this;
    }

    /** Adds a parameter for the model. */
    public Builder parameter(String name, Parameter value) {
      parameters.put(name, value);
      return this;
    }

    /**
     * Makes it a request of a sequence.
     *
     * @param isFirst whether the sequence starts with it
     * @param isLast whether the sequence ends with it
     */
    public Builder sequence(SequenceId newSequence, boolean isFirst, boolean isLast) {
      sequence = newSequence;
      sequenceStart = isFirst;
      sequenceEnd = isLast;
      return this;
    }

    /** Sets the priority: 1 for the highest level. */
    public Builder priority(long newPriority) {
      priority = newPriority;
      return this;
    }

    /** Sets how long the request may wait in a queue, where the model allows it. */
    public Builder queueTimeout(Duration newTimeout) {
      queueTimeoutMicros = newTimeout.toNanos() / 1_000;
      return this;
    }

    /** Sets when the request is cancelled, from when it is sent. */
    public Builder timeout(Duration newTimeout) {
      timeout = Optional.of(newTimeout);
      return this;
    }

    /** The request as it is now. */
    public ModelRequest build() {
      return new ModelRequest(
          model,
          version,
          id,
          inputs,
          outputs,
          new RequestOptions(
              sequence, sequenceStart, sequenceEnd, priority, queueTimeoutMicros, parameters),
          timeout);
    }
  }
}
