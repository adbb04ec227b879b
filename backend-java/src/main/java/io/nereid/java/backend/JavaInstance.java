package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.java.Calls;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An instance of a simple model: it calls the model's one object with the requests of each batch,
 * on its own thread.
 */
record JavaInstance(ModelConfig config, ReturnedOutputs returned, ModelObject object)
    implements ModelInstance {
  @Override
  public void execute(Batch batch, Results results) {
    List<Request> requests = new ArrayList<>(batch.size());
    List<Calls> calls = new ArrayList<>(batch.size());
    List<Integer> indexes = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      if (!batch.isPadding(i)) {
        requests.add(new BatchRequest(config, batch, results, i));
        calls.add(new Calls(batch.calls(i)));
        indexes.add(i);
      }
    }
    if (object.isBatched()) {
      List<Response> responses = object.infer(requests, calls);
      for (int k = 0; k < indexes.size(); k++) {
        write(results, indexes.get(k), responses.get(k));
      }
      return;
    }
    for (int k = 0; k < indexes.size(); k++) {
      try {
        var response = object.infer(requests.subList(k, k + 1), calls.subList(k, k + 1)).getFirst();
        write(results, indexes.get(k), response);
      } catch (InferenceException failed) {
        results.fail(indexes.get(k), failed);
      }
    }
  }

  private void write(Results results, int index, Response response) {
    Optional<InferenceException> failure = returned.failure(response);
    if (failure.isPresent()) {
      results.fail(index, failure.get());
      return;
    }
    response.parameters().forEach((name, value) -> results.parameter(index, name, value));
    for (Tensor output : response.outputs()) {
      if (results.wants(index, output.name())) {
        MemorySegment target =
            results.allocate(
                index, output.name(), output.dataType(), output.shape(), output.byteSize());
        MemorySegment.copy(output.data(), 0, target, 0, output.byteSize());
      }
    }
  }

  @Override
  public void close() {
    // The object is the model's.
  }
}
