package io.nereid.tck.execution;

import io.nereid.config.ModelConfig;
import io.nereid.spi.ModelCall;
import io.nereid.tensor.Tensor;
import java.util.List;

/** What stands for a model that the model under test calls. Any thread may ask it. */
@FunctionalInterface
public interface StandInModel {
  /**
   * The outputs of a call.
   *
   * @param call whose inputs are borrowed
   * @return copied
   * @throws io.nereid.error.InferenceException to fail the call
   */
  List<Tensor> outputs(ModelCall call);

  /**
   * The completed configuration, if it stands for a part that the model under test loads.
   *
   * @param part as the model under test states it, with the name {@code <model>/<part>}
   */
  default ModelConfig completed(ModelConfig part) {
    return part;
  }

  /** The outputs of each response to a call that takes several; of one, by default. */
  default List<List<Tensor>> responses(ModelCall call) {
    return List.of(outputs(call));
  }
}
