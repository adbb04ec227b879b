package io.nereid.engine.execution.warmup;

import io.nereid.config.ModelConfig;
import io.nereid.request.InferenceRequest;
import io.nereid.tensor.Tensor;
import java.util.Map;

/**
 * A sample: what an instance executes, and how often. Its tensors are read-only, and valid until
 * the {@link WarmupSamples} are closed.
 *
 * @param config the model's, without the controls that the sample itself contains
 * @param executions the number of executions, at least 1
 * @param batchSize the number of requests in each execution, at least 1
 * @param request what each of them is: one row of the model's inputs, and the sample's other inputs
 * @param states initial values of implicit states that the sample contains, by input name
 */
public record WarmupSample(
    String name,
    ModelConfig config,
    long executions,
    int batchSize,
    InferenceRequest request,
    Map<String, Tensor> states) {
  public WarmupSample {
    states = Map.copyOf(states);
  }
}
