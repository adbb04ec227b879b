package io.nereid.spi;

import io.nereid.request.Parameter;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a model asks of another by {@link ModelCalls}.
 *
 * @param version empty for the newest that is ready
 * @param inputs with distinct names, in memory as {@link ModelCalls} says; shapes include the batch
 *     dimension where the called model has one
 * @param outputs the names of those that are wanted; empty for all
 * @param parameters for the called model; those of the caller's request are not passed on
 * @param sequence empty for that of the caller's request
 * @param timeout until the call is cancelled, if the deadline of the request does not pass before;
 *     empty for no other limit than that deadline
 */
public record ModelCall(
    String model,
    OptionalLong version,
    List<Tensor> inputs,
    List<String> outputs,
    Map<String, Parameter> parameters,
    Optional<Sequence> sequence,
    Optional<Duration> timeout) {
  public ModelCall {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    parameters = Map.copyOf(parameters);
  }

  /**
   * The place of a call in a sequence of the called model.
   *
   * @param start whether the sequence starts with it
   * @param end whether the sequence ends with it
   */
  public record Sequence(SequenceId id, boolean start, boolean end) {}

  /** Begins a call of the newest version of a model. */
  public static Builder to(String model) {
    return new Builder(model);
  }

  /** Makes a call. Used by one thread. */
  public static final class Builder {
    private final String model;
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private OptionalLong version = OptionalLong.empty();
    private Optional<Sequence> sequence = Optional.empty();
    private Optional<Duration> timeout = Optional.empty();

    private Builder(String model) {
      this.model = model;
    }

    /** Calls this version. */
    public Builder version(long newVersion) {
      version = OptionalLong.of(newVersion);
      return this;
    }

    /** Adds an input. */
    public Builder input(String name, DataType dataType, Shape shape, MemorySegment data) {
      inputs.add(new Tensor(name, dataType, shape, data));
      return this;
    }

    /** Adds the data of a tensor, such as an output of another model, as the input of that name. */
    public Builder input(String name, Tensor tensor) {
      return input(name, tensor.dataType(), tensor.shape(), tensor.data());
    }

    /** Asks for this output, in addition to those asked for before; without a call, for all. */
    public Builder output(String name) {
      outputs.add(name);
      return this;
    }

    /** Adds a parameter for the called model. */
    public Builder parameter(String name, Parameter value) {
      parameters.put(name, value);
      return this;
    }

    /**
     * Makes it a request of a sequence of its own, in place of that of the caller's request.
     *
     * @param start whether the sequence starts with it
     * @param end whether the sequence ends with it
     */
    public Builder sequence(SequenceId id, boolean start, boolean end) {
      sequence = Optional.of(new Sequence(id, start, end));
      return this;
    }

    /** Cancels the call if it takes longer. */
    public Builder timeout(Duration newTimeout) {
      timeout = Optional.of(newTimeout);
      return this;
    }

    /** The call as it is now. */
    public ModelCall build() {
      return new ModelCall(model, version, inputs, outputs, parameters, sequence, timeout);
    }
  }
}
