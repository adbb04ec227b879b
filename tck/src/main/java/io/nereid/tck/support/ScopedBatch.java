package io.nereid.tck.support;

import io.nereid.request.InferenceRequest;
import io.nereid.spi.Batch;
import io.nereid.spi.ModelCalls;
import io.nereid.tensor.Tensor;
import java.time.Duration;
import java.util.Optional;

/** A batch as a backend sees it while it executes it. */
record ScopedBatch(TestBatch batch, ExecutionScope scope) implements Batch {
  @Override
  public int size() {
    scope.requireOpen("Batch.size");
    return batch.size();
  }

  @Override
  public InferenceRequest request(int index) {
    scope.requireOpen("Batch.request");
    return batch.request(index);
  }

  @Override
  public long rows() {
    scope.requireOpen("Batch.rows");
    return batch.rows();
  }

  @Override
  public boolean isPadding(int index) {
    scope.requireOpen("Batch.isPadding");
    return batch.isPadding(index);
  }

  @Override
  public Optional<Tensor> input(int index, String name) {
    scope.requireOpen("Batch.input");
    return batch.input(index, name);
  }

  @Override
  public Optional<Tensor> gathered(String name) {
    scope.requireOpen("Batch.gathered");
    return batch.gathered(name);
  }

  @Override
  public Tensor state(int index, String inputName) {
    scope.requireOpen("Batch.state");
    return batch.state(index, inputName);
  }

  @Override
  public ModelCalls calls(int index) {
    scope.requireOpen("Batch.calls");
    return batch.calls(index);
  }

  @Override
  public boolean isCancelled() {
    return batch.isCancelled();
  }

  @Override
  public boolean isCancelled(int index) {
    scope.requireOpen("Batch.isCancelled");
    return batch.isCancelled(index);
  }

  @Override
  public Optional<Duration> remaining(int index) {
    scope.requireOpen("Batch.remaining");
    return batch.remaining(index);
  }

  @Override
  public void onCancel(Runnable action) {
    scope.requireOpen("Batch.onCancel");
    batch.onCancel(action);
  }
}
