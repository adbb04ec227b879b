package io.nereid.spi;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Where an instance puts what it computed. Outputs come in three ways, cheapest first where the
 * shape is known beforehand:
 *
 * <ol>
 *   <li>{@link #allocateBatch}: memory for all rows at once; each request's response is a slice of
 *       it, and nothing is copied;
 *   <li>{@link #allocate}: memory for one request's output;
 *   <li>{@link #give} and {@link #giveBatch}: the backend's own memory, released when the last
 *       response that shows it has left.
 * </ol>
 *
 * <p>Shapes are the model's own: the server undoes {@code reshape}. Used by the instance's thread,
 * within {@link ModelInstance#execute}: a call after that, or by another thread, is an {@link
 * IllegalStateException}. Implemented by the server only.
 */
public interface Results {
  /**
   * Whether the request at {@code index} asked for that output. Giving one that was not asked for
   * is allowed, and dropped.
   */
  boolean wants(int index, String output);

  /** Whether any request of the batch asked for that output. */
  boolean wants(String output);

  /**
   * Memory for an output of all requests, rows in batch order, to be filled before {@link
   * ModelInstance#execute} returns, and a request's rows before {@link #send} is called for it.
   *
   * @param shape concrete; for a batching model its first dimension is at least {@link Batch#rows}.
   *     A target of a {@code batch_output} has as many elements as the requests' parts, in any
   *     shape
   * @return uninitialised, aligned to 64 bytes; it stays the server's
   */
  MemorySegment allocateBatch(String output, DataType dataType, Shape shape);

  /**
   * Memory for an output of one request, to be filled before {@link ModelInstance#execute} returns
   * or {@link #send} is called.
   *
   * @param byteSize needed for {@link DataType#BYTES}; otherwise the size that the shape tells
   * @return uninitialised, aligned to 64 bytes; it stays the server's
   */
  MemorySegment allocate(int index, String output, DataType dataType, Shape shape, long byteSize);

  /**
   * Gives an output of all requests in the backend's own memory. Takes it: {@code release} runs
   * exactly once, on any thread, also when this method throws.
   */
  void giveBatch(Tensor output, Runnable release);

  /** Gives an output of one request in the backend's own memory; as {@link #giveBatch}. */
  void give(int index, Tensor output, Runnable release);

  /** Adds a parameter to a request's next response. */
  void parameter(int index, String name, Parameter value);

  /**
   * Memory for the state that this request's sequence has from now on; it replaces the former when
   * execute returns, unless the request fails. A sequence whose state is not given anew keeps the
   * former. With {@code use_same_buffer_for_input_output} a state that keeps its size is written
   * where it is read: for good, also if the request fails.
   *
   * @param shape concrete; for a batching model its first dimension is the request's rows
   * @param byteSize needed for {@link DataType#BYTES}; otherwise the size that the shape tells
   * @return uninitialised; it stays the server's
   * @throws InferenceException INVALID_ARGUMENT if the model declares no such state
   */
  MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize);

  /** As above, for a type of fixed size. */
  default MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape) {
    long byteSize = Math.multiplyExact(shape.elementCount(), (long) dataType.byteSize());
    return allocateState(index, outputName, dataType, shape, byteSize);
  }

  /**
   * Says that the inputs are in place and that the model starts now. This and {@link #computeEnded}
   * only divide an execution's time for the statistics: a backend that says neither has all of it
   * counted as the model's. Of several runs in one execution the first start and the last end
   * count.
   */
  void computeStarted();

  /** Says that the model has run, and that only its outputs are left to be put in place. */
  void computeEnded();

  /**
   * Sends what has been collected for a request as one response, before execute returns. A
   * decoupled model may call it any number of times, and is held here while an ensemble has no room
   * for more; any other at most once, and last for that request.
   */
  void send(int index);

  /** Ends a request of a decoupled model with no further response. */
  void finish(int index);

  /**
   * Has a request of an iterative sequence run again, in a later batch, once execute returns: what
   * was collected for it is dropped, and nothing more may be done with it until then. Responses of
   * a decoupled model that were sent have been sent.
   *
   * @throws InferenceException INVALID_ARGUMENT if the model is not configured as {@code
   *     iterative_sequence}; the request stays with this execution
   */
  void reschedule(int index);

  /** Answers one request with a failure; what was collected for it is dropped. */
  void fail(int index, InferenceException failure);
}
