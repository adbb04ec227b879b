package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A batch of one request. */
final class OneRequest implements Batch {
  private final InferenceRequest request;
  private final long rows;
  private final List<Optional<Tensor>> inputs;

  OneRequest(long rows, List<Tensor> inputs) {
    this.rows = rows;
    request =
        new InferenceRequest(
            new ModelKey("m", 1), "", inputs, List.of("OUTPUT0", "OUTPUT1"), RequestOptions.NONE);
    this.inputs = inputs.stream().map(Optional::of).toList();
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public InferenceRequest request(int index) {
    return request;
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public boolean isPadding(int index) {
    return false;
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    return inputs.get(name.equals("INPUT0") ? 0 : 1);
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    return input(0, name);
  }

  @Override
  public Tensor state(int index, String inputName) {
    throw new IllegalStateException("no state");
  }

  @Override
  public ModelCalls calls(int index) {
    throw new IllegalStateException("no calls");
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public boolean isCancelled(int index) {
    return false;
  }

  @Override
  public Optional<Duration> remaining(int index) {
    return Optional.empty();
  }

  @Override
  public void onCancel(Runnable action) {}
}
