package io.nereid.java.backend;

import io.nereid.config.ModelConfig;
import io.nereid.java.Request;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.Optional;

/** A request of a batch, as the model sees it. */
record BatchRequest(ModelConfig config, Batch batch, Results results, int index)
    implements Request {
  private InferenceRequest request() {
    return batch.request(index);
  }

  @Override
  public String id() {
    return request().id();
  }

  @Override
  public RequestOptions options() {
    return request().options();
  }

  @Override
  public long rows() {
    return request().rows(config);
  }

  @Override
  public Optional<Tensor> find(String name) {
    return batch.input(index, name);
  }

  @Override
  public Tensor input(String name) {
    return find(name).orElseThrow(() -> MissingInput.of(config, name));
  }

  @Override
  public boolean wants(String output) {
    return results.wants(index, output);
  }

  @Override
  public boolean isCancelled() {
    return batch.isCancelled(); // that of one request is for the instance's thread
  }

  @Override
  public Optional<Duration> remaining() {
    return batch.remaining(index);
  }
}
