package io.nereid.tck.backend;

import io.nereid.config.ModelConfig;
import io.nereid.tck.support.TensorGenerator;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Tests on one model of a backend. */
public abstract class BackendVerification implements BackendFactory {
  /** Requests with 1, 2, ... rows as far as the model batches; one request if it does not. */
  static List<List<Tensor>> requests(ModelConfig config, long seed) {
    var generator = new TensorGenerator(seed);
    if (!config.batches()) {
      return List.of(generator.inputs(config, 1));
    }
    List<List<Tensor>> requests = new ArrayList<>();
    long rows = 1;
    for (long room = config.maxBatchSize(); rows <= room; room -= rows++) {
      requests.add(generator.inputs(config, rows));
    }
    return requests;
  }
}
