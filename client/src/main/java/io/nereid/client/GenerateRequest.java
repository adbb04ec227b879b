package io.nereid.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of the generate extension: values by name, without types or shapes. A name that is an
 * input of the model is that input, another is a parameter. Immutable. REST only.
 *
 * <pre>{@code
 * GenerateRequest request =
 *     GenerateRequest.to("llm").with("text_input", "Once upon").with("max_tokens", 20).build();
 * }</pre>
 */
public final class GenerateRequest {
  private final String model;
  private final String version;
  private final Map<String, Object> values;
  private final Map<String, String> headers;
  private final @Nullable Duration deadline;
  private final boolean mayRunTwice;

  private GenerateRequest(Builder builder) {
    model = builder.model;
    version = builder.version;
    values = Collections.unmodifiableMap(new LinkedHashMap<>(builder.values));
    headers = Map.copyOf(builder.headers);
    deadline = builder.deadline;
    mayRunTwice = builder.mayRunTwice;
  }

  /** A request to a model, whose version the server chooses. */
  public static Builder to(String model) {
    return new Builder(model);
  }

  public String model() {
    return model;
  }

  /** The version; empty if the server chooses it. */
  public String version() {
    return version;
  }

  /** Each a {@code String}, {@code Long}, {@code Double}, {@code Boolean}, or a list of these. */
  public Map<String, Object> values() {
    return values;
  }

  public Map<String, String> headers() {
    return headers;
  }

  /** How long the call may take, all responses of a stream included; null for the client's time. */
  public @Nullable Duration deadline() {
    return deadline;
  }

  /** Whether it may be sent again when the server may have executed it. */
  public boolean mayRunTwice() {
    return mayRunTwice;
  }

  /** What it asks for, such as {@code generate of model 'llm'}. */
  @Override
  public String toString() {
    return "generate of model '%s'%s"
        .formatted(model, version.isEmpty() ? "" : " version " + version);
  }

  /** Builds a request; used by one thread. */
  public static final class Builder {
    private final String model;
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String version = "";
    private @Nullable Duration deadline;
    private boolean mayRunTwice;

    private Builder(String model) {
      this.model = Arguments.model(model);
    }

    public Builder version(long number) {
      version = Long.toString(number);
      return this;
    }

    /**
     * An input or a parameter.
     *
     * @param value a string, a number, a boolean, or a list of these
     */
    public Builder with(String name, Object value) {
      values.put(name, value instanceof List<?> list ? elements(name, list) : element(name, value));
      return this;
    }

    private static List<Object> elements(String name, List<?> list) {
      List<Object> elements = new ArrayList<>();
      for (Object each : list) {
        elements.add(element(name, each));
      }
      return Collections.unmodifiableList(elements);
    }

    private static Object element(String name, Object value) {
      if (value instanceof String || value instanceof Boolean) {
        return value;
      }
      if (value instanceof Long || value instanceof Integer || value instanceof Short) {
        return ((Number) value).longValue();
      }
      if (value instanceof Double || value instanceof Float) {
        return ((Number) value).doubleValue();
      }
      throw new IllegalArgumentException(
          "'%s' is a %s, and must be a string, a number, a boolean or a list of these"
              .formatted(name, value.getClass().getSimpleName()));
    }

    /** A header beside those of the client. */
    public Builder header(String name, String value) {
      Arguments.putHeader(headers, name, value);
      return this;
    }

    /** How long the call may take, all responses of a stream included. */
    public Builder deadline(Duration time) {
      deadline = Arguments.positive("deadline", time);
      return this;
    }

    /** As {@link InferRequest.Builder#mayRunTwice}; streams are never sent again. */
    public Builder mayRunTwice() {
      mayRunTwice = true;
      return this;
    }

    public GenerateRequest build() {
      return new GenerateRequest(this);
    }
  }
}
