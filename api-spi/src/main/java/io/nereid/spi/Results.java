package io.nereid.spi;

import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * The receiver of an execution's outputs. A backend provides an output in one of three ways:
 *
 * <ol>
 *   <li>{@link #allocateBatch}: memory for the rows of all requests. Responses are slices of it, so
 *       nothing is copied. The cheapest way if the shape is known before the run.
 *   <li>{@link #allocate}: memory for the output of one request.
 *   <li>{@link #giveBatch} and {@link #give}: memory of the backend, which the server releases when
 *       the last response that contains it has been sent.
 * </ol>
 *
 * <p>The server checks every output: it is one that the model declares, given once for a response,
 * of the declared type, of a shape that the declaration, unless that is a {@linkplain
 * Model#isShapeHint hint}, and the rows of the request or the batch allow, and its memory has the
 * size of that shape. Memory of the backend is native memory that every thread may read and that is
 * open until {@code release} runs. BYTES have as many elements as the shape says, and nothing
 * behind them. A wrong output of one request fails that request, and what is called for it then has
 * no effect. A wrong output of all requests fails all of them, and the method throws. The failure
 * is INTERNAL and says what was given and what was expected. An output that is not given at all is
 * missing from the response.
 *
 * <p>Shapes are those of the model; the server reverts {@code reshape}. Only the instance's thread
 * may call these methods, and only within {@link ModelInstance#execute}; otherwise they throw
 * {@link IllegalStateException}. Only the server implements this interface.
 */
public interface Results {
  /**
   * Whether the request at {@code index} asked for that output. The server drops outputs that were
   * not asked for.
   */
  boolean wants(int index, String output);

  /** Whether any request of the batch asked for that output. */
  boolean wants(String output);

  /**
   * Allocates memory for an output of all requests, with rows in batch order. The backend fills it
   * before {@link ModelInstance#execute} returns, and the rows of a request before it calls {@link
   * #send} for that request.
   *
   * @param dataType a type of fixed size
   * @param shape concrete; for a batching model its first dimension is {@link Batch#rows}. For a
   *     target of a {@code batch_output} only the element count matters: the sum over the requests'
   *     parts
   * @return zeros, or uninitialised memory if the {@linkplain Model#fillsOutputs model fills
   *     outputs}; aligned to 64 bytes, owned by the server, valid until the batch is over
   * @throws InferenceException INTERNAL if the output is wrong; every request has failed then
   */
  MemorySegment allocateBatch(String output, DataType dataType, Shape shape);

  /**
   * Allocates memory for an output of one request. The backend fills it before {@link
   * ModelInstance#execute} returns, or before it calls {@link #send} for that request.
   *
   * @param shape concrete; includes the batch dimension if the model batches
   * @param byteSize size of the data; for a type of fixed size that of {@code shape}
   * @return zeros, or uninitialised memory if the {@linkplain Model#fillsOutputs model fills
   *     outputs}; aligned to 64 bytes, owned by the server, valid until the batch is over or {@link
   *     #send} was called for that request
   */
  MemorySegment allocate(int index, String output, DataType dataType, Shape shape, long byteSize);

  /**
   * Provides an output of all requests, with rows in batch order, in memory of the backend.
   *
   * @param output must stay valid and unchanged until {@code release} runs
   * @param release runs exactly once, on any thread, even if this method throws; must neither throw
   *     nor block, since the server may run it between the frames of other clients
   * @throws InferenceException INTERNAL if the output is wrong; every request has failed then
   */
  void giveBatch(Tensor output, Runnable release);

  /** Provides an output of one request in memory of the backend, as {@link #giveBatch} does. */
  void give(int index, Tensor output, Runnable release);

  /**
   * Drops an output of one request that was given and not sent, so that it can be given again: such
   * as one whose shape turns out to be another. Does nothing if there is none.
   */
  void drop(int index, String output);

  /** Adds a parameter to the next response to a request. */
  void parameter(int index, String name, Parameter value);

  /**
   * Allocates memory for the new state of a request's sequence. It replaces the old state when
   * {@link ModelInstance#execute} returns, unless the request fails. Without a call the sequence
   * keeps its old state.
   *
   * <p>A state is checked as an output is, and given once for a request.
   *
   * <p>With {@code use_same_buffer_for_input_output} a state whose size does not change is
   * overwritten in place, even if the request then fails.
   *
   * @param shape concrete; for a batching model its first dimension is the number of rows of the
   *     request
   * @param byteSize size of the data; for a type of fixed size that of {@code shape}
   * @return memory owned by the server: zeros, or what an earlier request of the sequence has
   *     written
   * @throws InferenceException INVALID_ARGUMENT if the model declares no such state
   */
  MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape, long byteSize);

  /** Allocates memory for a new state of a type of fixed size. */
  default MemorySegment allocateState(
      int index, String outputName, DataType dataType, Shape shape) {
    long byteSize = Math.multiplyExact(shape.elementCount(), (long) dataType.byteSize());
    return allocateState(index, outputName, dataType, shape, byteSize);
  }

  /**
   * Records that the inputs are in place and the model starts to compute. This method and {@link
   * #computeEnded} divide the time of an execution for the statistics and have no other effect.
   * Without them all of the time counts as computing. If the model runs several times in one
   * execution, the first start and the last end count.
   */
  void computeStarted();

  /** Records that the model has computed, and that only its outputs remain to be stored. */
  void computeEnded();

  /**
   * Records durations that a device measured, in place of {@link #computeStarted} and {@link
   * #computeEnded}: the model has computed for {@code inferNanos}, and its outputs were then stored
   * for {@code outputNanos}, until now. A {@link PipelinedInstance} reports them, since its thread
   * cannot see when the device begins a batch.
   */
  void computed(long inferNanos, long outputNanos);

  /** Whether the request at {@code index} is traced, so that {@link #activity} has an effect. */
  boolean isTraced(int index);

  /**
   * Records an activity in the trace of a request; has no effect if the request is not traced. An
   * activity whose name ends with {@code _START}, and one of the same name with {@code _END}, are
   * the bounds of a span where traces are exported as spans; any other is an event. (Triton:
   * TRITONSERVER_InferenceTraceReportActivity.)
   *
   * @param nanoTime when it happened, by {@link System#nanoTime}
   */
  void activity(int index, String name, long nanoTime);

  /**
   * Sends the outputs and parameters collected for a request as one response, without waiting for
   * {@link ModelInstance#execute} to return. A decoupled model may send any number of responses to
   * a request; this method blocks while an ensemble that consumes them is at its limit. Any other
   * model may send one response, as the last call for that request.
   */
  void send(int index);

  /**
   * Ends a request of a decoupled model without a further response. Outputs collected but not sent
   * are dropped.
   */
  void finish(int index);

  /**
   * Reschedules a request of an iterative sequence: after {@link ModelInstance#execute} returns, it
   * runs again in a later batch. Outputs collected but not sent are dropped. No other method may be
   * called for the request in this execution.
   *
   * @throws InferenceException INVALID_ARGUMENT if the model is not configured as {@code
   *     iterative_sequence}; the request stays with this execution
   */
  void reschedule(int index);

  /** Fails one request. Outputs collected for it but not sent are dropped. */
  void fail(int index, InferenceException failure);

  /**
   * Detaches a request, which is answered later than {@link ModelInstance#execute} returns, and by
   * any thread. What was collected for it stays with it. No other method of this interface may be
   * called for it afterwards, and it gets nothing of {@link #allocateBatch} and {@link #giveBatch}.
   * An exception from {@link ModelInstance#execute} does not end it.
   *
   * <p>An instance that has {@code --max-detached-requests} requests detached, or more, gets no
   * further batch until some of them have ended. It is closed once all of them have.
   *
   * @return to be ended by the backend: see {@link DetachedRequest}
   * @throws InferenceException UNSUPPORTED if the model is a sequence model: the next request of a
   *     sequence runs once this method's caller has returned, and may depend on this one
   */
  DetachedRequest detach(int index);
}
