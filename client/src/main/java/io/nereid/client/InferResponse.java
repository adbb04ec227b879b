package io.nereid.client;

import java.util.Collections;
import java.util.Map;

/**
 * An answer of a model. Immutable.
 *
 * @param version the one that answered
 * @param id the request's
 * @param parameters each a {@code Boolean}, {@code Long}, {@code Double} or {@code String}
 * @param outputs by name, in the server's order
 */
public record InferResponse(
    String model,
    String version,
    String id,
    Map<String, Object> parameters,
    Map<String, Tensor> outputs) {
  public InferResponse {
    parameters = Collections.unmodifiableMap(parameters);
    outputs = Collections.unmodifiableMap(outputs);
  }

  /**
   * The output of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Tensor output(String name) {
    Tensor output = outputs.get(name);
    if (output == null) {
      throw new IllegalArgumentException(
          "model '%s' answered without an output '%s'; it has %s"
              .formatted(model, name, outputs.keySet()));
    }
    return output;
  }

  /** Whether a stream's request has no response after this one, as far as the server says. */
  public boolean isFinal() {
    return Boolean.TRUE.equals(parameters.get("triton_final_response"));
  }
}
