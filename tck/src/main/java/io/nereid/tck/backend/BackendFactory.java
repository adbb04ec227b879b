package io.nereid.tck.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.Parameter;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.CallSettings;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What an implementer of {@link BackendVerification}s provides: a backend with a model, and what
 * the verifications cannot know of the model.
 */
@ExtendWith(RuleWatch.class)
public interface BackendFactory extends CallSettings {
  /** The backend and model to test; called by each test. */
  BackendUnderTest backend();

  /**
   * The inputs of a request, without controls and states of a sequence. Made at random unless
   * overridden: finite numbers, and byte strings of any bytes; from the seed {@link
   * TensorGenerator#EMPTY} on what a model may refuse as {@code INVALID_ARGUMENT}.
   *
   * @param config completed
   * @param rows of the request; 1 if the model does not batch
   * @param seed the same seed makes the same inputs, another seed others
   */
  default List<Tensor> inputs(ModelConfig config, long rows, long seed) {
    return new TensorGenerator(seed, this::dimension).inputs(config, rows);
  }

  /** The size of a dimension that the configuration leaves open ({@code -1}), 5 by default. */
  default long dimension(TensorConfig input, int axis) {
    return TensorGenerator.OPEN_DIMENSION;
  }

  /** The parameters of a request; none by default. */
  default Map<String, Parameter> parameters(ModelConfig config, long seed) {
    return Map.of();
  }

  /**
   * Whether equal requests get equal outputs, and as many responses; if not, outputs are compared
   * by name.
   */
  default boolean isDeterministic() {
    return true;
  }

  /** Whether a row's outputs do not depend on the other rows of its own request. */
  default boolean hasIndependentRows() {
    return true;
  }

  /**
   * The outputs of a request by name, where the implementer knows them. Asked for the requests of
   * one batch, and for those that leave out an optional input. Floats are compared as closely as a
   * kernel can promise: within 1e-4 of a value, or of 1 if the value is less (FP16 and BF16 within
   * 2e-2); what has to be closer needs a test of its own.
   */
  default Optional<Map<String, Tensor>> expected(ModelConfig config, SampleRequest request) {
    return Optional.empty();
  }

  /** The {@link #expected} outputs of each response to a request, in order; one by default. */
  default Optional<List<Map<String, Tensor>>> expectedResponses(
      ModelConfig config, SampleRequest request) {
    return expected(config, request).map(List::of);
  }

  /** A request of one row that the backend refuses, while it serves others of the same batch. */
  default Optional<SampleRequest> refused(ModelConfig config) {
    return Optional.empty();
  }

  /** A request that takes a second or more, and that the backend ends early if it is cancelled. */
  default Optional<SampleRequest> longRequest(ModelConfig config) {
    return Optional.empty();
  }
}
