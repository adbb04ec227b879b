package io.nereid.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One inference. Immutable; it can be sent any number of times.
 *
 * <pre>{@code
 * InferRequest request =
 *     InferRequest.to("digits").input("image", Tensor.of(pixels, 1, 28, 28)).build();
 * }</pre>
 */
public final class InferRequest {
  private static final Set<String> RESERVED =
      Set.of(
          "sequence_id",
          "sequence_start",
          "sequence_end",
          "priority",
          "timeout",
          "headers",
          "binary_data_output");

  private final Builder values;

  private InferRequest(Builder values) {
    this.values = values;
  }

  /** A request to a model, whose version the server chooses. */
  public static Builder to(String model) {
    return new Builder(model);
  }

  public String model() {
    return values.model;
  }

  /** The version; empty if the server chooses it. */
  public String version() {
    return values.version;
  }

  /** What the server repeats in its answer and in its log; empty for none. */
  public String id() {
    return values.id;
  }

  /** The inputs by name, in the order in which they were added. */
  public Map<String, Tensor> inputs() {
    return Collections.unmodifiableMap(values.inputs);
  }

  /** The outputs asked for; if there are none, all of them are. */
  public List<RequestedOutput> outputs() {
    return Collections.unmodifiableList(values.outputs);
  }

  /**
   * All parameters as they travel, those of sequences and priorities among them: each a {@code
   * Boolean}, {@code Long}, {@code Double} or {@code String}.
   */
  public Map<String, Object> parameters() {
    return Collections.unmodifiableMap(values.parameters);
  }

  /** Headers, or gRPC metadata, of this request. */
  public Map<String, String> headers() {
    return Collections.unmodifiableMap(values.headers);
  }

  /** How long the call may take; null for the client's time. */
  public @Nullable Duration deadline() {
    return values.deadline;
  }

  /** Whether it may be sent again when the server may have executed it. */
  public boolean mayRunTwice() {
    return values.mayRunTwice;
  }

  /** What it asks for, such as {@code infer of model 'digits'}. */
  @Override
  public String toString() {
    String version = version().isEmpty() ? "" : " version " + version();
    String id = id().isEmpty() ? "" : " (id '%s')".formatted(id());
    return "infer of model '%s'%s%s".formatted(model(), version, id);
  }

  /** The same with parameters, and maybe a header, of a sequence. */
  InferRequest withSequence(Map<String, Object> sequence, Map<String, String> header) {
    Builder copy = new Builder(values);
    copy.own();
    sequence.forEach(copy::set);
    if (!header.isEmpty()) {
      copy.headers = Builder.changing(copy.headers);
      copy.headers.putAll(header);
    }
    copy.mayRunTwice = false;
    return new InferRequest(copy);
  }

  /** Builds a request; used by one thread. */
  public static final class Builder {
    /** How many inputs, outputs and parameters most requests have at most. */
    private static final int FEW = 4;

    private final String model;
    private Map<String, Tensor> inputs = Map.of();
    private List<RequestedOutput> outputs = List.of();
    private Map<String, Object> parameters = Map.of();
    private Map<String, String> headers = Map.of();

    /** Whether those of these four that are not empty are another's, too, and must not change. */
    private boolean isShared;

    private String version = "";
    private String id = "";
    private @Nullable Duration deadline;
    private boolean mayRunTwice;

    private Builder(String model) {
      this.model = Arguments.model(model);
    }

    private Builder(Builder other) {
      this.model = other.model;
      inputs = other.inputs;
      outputs = other.outputs;
      parameters = other.parameters;
      headers = other.headers;
      isShared = true;
      version = other.version;
      id = other.id;
      deadline = other.deadline;
      mayRunTwice = other.mayRunTwice;
    }

    /** Makes all four the builder's own. */
    private void own() {
      if (isShared) {
        inputs = inputs.isEmpty() ? inputs : new LinkedHashMap<>(inputs);
        outputs = outputs.isEmpty() ? outputs : new ArrayList<>(outputs);
        parameters = parameters.isEmpty() ? parameters : new LinkedHashMap<>(parameters);
        headers = headers.isEmpty() ? headers : new LinkedHashMap<>(headers);
        isShared = false;
      }
    }

    /** A map that may change: that one, unless it is empty. */
    private static <V> Map<String, V> changing(Map<String, V> map) {
      return map.isEmpty() ? new LinkedHashMap<>(FEW) : map;
    }

    private void set(String parameter, Object value) {
      own();
      parameters = changing(parameters);
      parameters.put(parameter, value);
    }

    private void setHeader(String name, String value) {
      own();
      headers = changing(headers);
      Arguments.putHeader(headers, name, value);
    }

    public Builder version(long version) {
      this.version = Long.toString(version);
      return this;
    }

    /** An id that the server repeats in its answer and in its log. */
    public Builder id(String id) {
      this.id = id;
      return this;
    }

    public Builder input(String name, Tensor tensor) {
      if (tensor == null) {
        throw new IllegalArgumentException(
            "model '%s': the input '%s' has no tensor".formatted(model, name));
      }
      own();
      inputs = changing(inputs);
      if (inputs.putIfAbsent(name, tensor) != null) {
        throw new IllegalArgumentException(
            "model '%s': the input '%s' is given twice".formatted(model, name));
      }
      return this;
    }

    /** Inputs by name, such as those of {@link Columns#tensors}. */
    public Builder inputs(Map<String, Tensor> tensors) {
      tensors.forEach(this::input);
      return this;
    }

    /** Asks for outputs by name. Without any, the answer has all. */
    public Builder outputs(String... names) {
      for (String name : names) {
        output(new RequestedOutput(name, 0, null));
      }
      return this;
    }

    /** Asks for the best classes of an output; see {@link RequestedOutput#classes}. */
    public Builder classify(String name, int classes) {
      return output(new RequestedOutput(name, classes, null));
    }

    public Builder output(RequestedOutput output) {
      if (outputs.stream().anyMatch(other -> other.name().equals(output.name()))) {
        throw new IllegalArgumentException(
            "model '%s': the output '%s' is asked for twice".formatted(model, output.name()));
      }
      own();
      outputs = outputs.isEmpty() ? new ArrayList<>(FEW) : outputs;
      outputs.add(output);
      return this;
    }

    /** A parameter for the model. */
    public Builder parameter(String name, String value) {
      return put(name, value);
    }

    /** A parameter for the model. */
    public Builder parameter(String name, long value) {
      return put(name, value);
    }

    /** A parameter for the model. */
    public Builder parameter(String name, double value) {
      return put(name, value);
    }

    /** A parameter for the model. */
    public Builder parameter(String name, boolean value) {
      return put(name, value);
    }

    private Builder put(String name, Object value) {
      if (RESERVED.contains(name)
          || (name.startsWith("triton_") && !name.equals("triton_enable_empty_final_response"))) {
        throw new IllegalArgumentException(
            "model '%s': the parameter '%s' is the protocol's; priority, queueTimeout and Sequence set those"
                .formatted(model, name));
      }
      set(name, value);
      return this;
    }

    /** The level in the model's queue: 1 is the highest, 0 the model's default. */
    public Builder priority(long priority) {
      set("priority", Arguments.notNegative("priority", priority));
      return this;
    }

    /** How long the request may wait in the server's queue, where the model allows it. */
    public Builder queueTimeout(Duration time) {
      set("timeout", Arguments.notNegative("timeout", Arguments.nanos(time) / 1000));
      return this;
    }

    /** How long the call may take, its repeats included, instead of the client's time. */
    public Builder deadline(Duration deadline) {
      this.deadline = Arguments.positive("deadline", deadline);
      return this;
    }

    /** A header, or gRPC metadata, beside those of the client. */
    public Builder header(String name, String value) {
      setHeader(name, value);
      return this;
    }

    /**
     * Allows that the request is sent again although the server may have executed it, as after a
     * broken connection. Right for models without state whose calls cost little.
     */
    public Builder mayRunTwice() {
      mayRunTwice = true;
      return this;
    }

    public InferRequest build() {
      isShared = true;
      return new InferRequest(new Builder(this));
    }
  }
}
