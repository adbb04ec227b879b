package io.nereid.benchmarks.micro.tensorrt;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Reads the outputs and releases them. */
final class CheckedResults implements Results {
  private float last;

  /** The last number of OUTPUT0. */
  float last() {
    return last;
  }

  @Override
  public boolean isTraced(int index) {
    return false;
  }

  @Override
  public void activity(int index, String name, long nanoTime) {}

  @Override
  public boolean wants(int index, String output) {
    return true;
  }

  @Override
  public boolean wants(String output) {
    return true;
  }

  @Override
  public void giveBatch(Tensor output, Runnable release) {
    if (output.name().equals("OUTPUT0")) {
      last = output.data().get(Elements.FLOAT, output.byteSize() - Float.BYTES);
    }
    release.run();
  }

  @Override
  public MemorySegment allocateBatch(String output, DataType dataType, Shape shape) {
    throw unexpected();
  }

  @Override
  public MemorySegment allocate(
      int index, String output, DataType dataType, Shape shape, long byteSize) {
    throw unexpected();
  }

  @Override
  public void give(int index, Tensor output, Runnable release) {
    throw unexpected();
  }

  @Override
  public void drop(int index, String output) {
    throw unexpected();
  }

  @Override
  public void parameter(int index, String name, Parameter value) {
    throw unexpected();
  }

  @Override
  public MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize) {
    throw unexpected();
  }

  @Override
  public void computeStarted() {}

  @Override
  public void computeEnded() {}

  @Override
  public void computed(long startNanos, long endNanos) {}

  @Override
  public void send(int index) {
    throw unexpected();
  }

  @Override
  public void finish(int index) {
    throw unexpected();
  }

  @Override
  public void reschedule(int index) {
    throw unexpected();
  }

  @Override
  public DetachedRequest detach(int index) {
    throw unexpected();
  }

  @Override
  public void fail(int index, InferenceException failure) {
    throw failure;
  }

  private static IllegalStateException unexpected() {
    return new IllegalStateException("no call of this kind is expected");
  }
}
