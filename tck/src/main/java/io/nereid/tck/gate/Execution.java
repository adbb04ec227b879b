package io.nereid.tck.gate;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One call of {@link io.nereid.spi.ModelInstance#execute}.
 *
 * @param number executions of the model that began before this one
 * @param instance the name of the instance that it runs on
 * @param rows of the batch, padding included
 * @param requests in the order of the batch
 * @param gathered what the batch has as a whole: ragged inputs, and what is computed for each
 *     batch, by name
 */
public record Execution(
    int number,
    String instance,
    long rows,
    List<ExecutedRequest> requests,
    Map<String, Tensor> gathered) {
  public Execution {
    requests = List.copyOf(requests);
    gathered = Map.copyOf(gathered);
  }

  static Execution read(
      int number, String instance, ModelConfig config, Batch batch, Results results) {
    return new Execution(
        number,
        instance,
        batch.rows(),
        IntStream.range(0, batch.size())
            .mapToObj(index -> ExecutedRequest.read(config, batch, results, index))
            .toList(),
        gathered(config, batch));
  }

  private static Map<String, Tensor> gathered(ModelConfig config, Batch batch) {
    Map<String, Tensor> gathered = new HashMap<>();
    Stream.concat(
            config.inputs().stream().filter(TensorConfig::allowRaggedBatch).map(TensorConfig::name),
            config.batchInputs().stream().flatMap(computed -> computed.targetNames().stream()))
        .forEach(name ->
            batch.gathered(name).ifPresent(tensor -> gathered.put(name, Tensors.copy(tensor))));
    return gathered;
  }

  /** The requests' ids, in the order of the batch; padding has an empty one. */
  public List<String> ids() {
    return requests.stream().map(ExecutedRequest::id).toList();
  }

  /** The slots of the batch that no request filled. */
  public long paddingRows() {
    return requests.stream().filter(ExecutedRequest::padding).count();
  }

  /** Number, instance, rows and ids. */
  @Override
  public String toString() {
    return "#%d on %s: %d rows %s".formatted(number, instance, rows, ids());
  }
}
