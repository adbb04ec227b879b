package io.nereid.tck.support;

import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A request that a verification makes.
 *
 * @param inputs with their batch dimension; copied into the memory of each batch
 * @param outputs the names of the outputs that it asks for; empty for all
 * @param options parameters, sequence id and the like
 */
public record SampleRequest(List<Tensor> inputs, List<String> outputs, RequestOptions options) {
  public SampleRequest {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** A request for all outputs, without parameters. */
  public static SampleRequest of(List<Tensor> inputs) {
    return new SampleRequest(inputs, List.of(), RequestOptions.NONE);
  }

  /** A request for all outputs. */
  public static SampleRequest of(List<Tensor> inputs, Map<String, Parameter> parameters) {
    var none = RequestOptions.NONE;
    return new SampleRequest(
        inputs, List.of(), new RequestOptions(none.sequenceId(), false, false, 0, 0, parameters));
  }

  /** This request for some outputs. */
  public SampleRequest wanting(List<String> names) {
    return new SampleRequest(inputs, names, options);
  }
}
