package io.nereid.tensorrt.execution;

import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaGraph;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.engine.ExecutionContext;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An execution context with one optimisation profile. It remembers what TensorRT was told, so that
 * a batch of the same shapes costs no calls for them.
 */
final class ProfileContext {
  private static final int MAX_RANK = 8;

  private final String model;
  private final ExecutionContext context;
  private final CudaStream stream;
  private final List<EngineInput> inputs;
  private final List<EngineOutput> outputs;

  /** Null if graphs are off, or this engine cannot be captured. */
  private @Nullable ContextGraphs graphs;

  /** The dimensions of each input that the context has; of rank -1 before the first. */
  private final long[][] inputDims;

  private final int[] inputRanks;

  /** The dimensions of each output that follow from them. */
  private final long[][] outputDims;

  private final int[] outputRanks;

  /** Whether the dimensions are known after the enqueue only, so that memory is given then. */
  private final boolean[] dataDependent;

  /** By index of the tensor. */
  private final long[] addresses;

  private final boolean hasShapeTensors;
  private boolean shapesKnown;
  private @Nullable CudaEvent consumed;
  private @Nullable BatchBuffers running;

  /**
   * @param graphs null for none
   */
  ProfileContext(
      String model,
      ExecutionContext context,
      CudaStream stream,
      List<EngineInput> inputs,
      List<EngineOutput> outputs,
      @Nullable ContextGraphs graphs) {
    this.model = model;
    this.context = context;
    this.stream = stream;
    this.inputs = inputs;
    this.outputs = outputs;
    this.hasShapeTensors =
        inputs.stream().anyMatch(input -> input.tensor().shapeTensor())
            || outputs.stream().anyMatch(output -> output.tensor().shapeTensor());
    this.graphs = hasShapeTensors ? null : graphs;
    this.inputDims = new long[inputs.size()][MAX_RANK];
    this.inputRanks = new int[inputs.size()];
    Arrays.fill(inputRanks, -1);
    this.outputDims = new long[outputs.size()][MAX_RANK];
    this.outputRanks = new int[outputs.size()];
    this.dataDependent = new boolean[outputs.size()];
    this.addresses = new long[inputs.size() + outputs.size()];
  }

  /**
   * Enqueues the execution of a batch whose inputs are in the device's buffers once the stream has
   * reached it. Afterwards the buffers has the dimensions of the outputs, and buffers for them.
   *
   * @param replay whether it may be replayed from a graph
   */
  void run(DeviceInputs batch, BatchBuffers buffers, boolean replay) {
    running = buffers;
    try {
      setShapes(batch);
      setInputAddresses(buffers);
      if (!shapesKnown || hasShapeTensors) {
        setHostOutputs(buffers);
        inferShapes();
      }
      prepareOutputs(buffers);
      enqueue(batch, buffers, replay);
      readShapes(buffers);
    } catch (RuntimeException | Error failure) {
      forget();
      throw failure;
    } finally {
      running = null;
    }
  }

  /** Forgets what the context has been told: after a failure it is not certain. */
  private void forget() {
    Arrays.fill(inputRanks, -1);
    Arrays.fill(addresses, 0);
    shapesKnown = false;
    consumed = null;
  }

  private void setShapes(DeviceInputs batch) {
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      if (!input.tensor().shapeTensor() && input.isDynamic()) {
        long[] dims = batch.dims(i);
        int rank = batch.rank(i);
        if (inputRanks[i] != rank || !Arrays.equals(dims, 0, rank, inputDims[i], 0, rank)) {
          shapesKnown = false;
          inputRanks[i] = -1;
          context.setInputShape(input.tensor().index(), dims, rank);
          System.arraycopy(dims, 0, inputDims[i], 0, rank);
          inputRanks[i] = rank;
        }
      }
    }
  }

  private void setInputAddresses(BatchBuffers buffers) {
    for (int i = 0; i < inputs.size(); i++) {
      EngineInput input = inputs.get(i);
      int tensor = input.tensor().index();
      if (input.tensor().shapeTensor()) {
        context.setAddress(tensor, buffers.host[tensor]); // again, since the values may differ
      } else {
        setAddress(tensor, buffers.inputs[i].get().address());
      }
    }
  }

  private void setHostOutputs(BatchBuffers buffers) {
    for (int i = 0; i < outputs.size(); i++) {
      int tensor = outputs.get(i).tensor().index();
      if (outputs.get(i).tensor().shapeTensor()) {
        setAddress(tensor, buffers.host[tensor]);
      }
    }
  }

  private void setAddress(int tensor, MemorySegment address) {
    if (addresses[tensor] != address.address()) {
      addresses[tensor] = 0;
      context.setAddress(tensor, address);
      addresses[tensor] = address.address();
    }
  }

  private void inferShapes() {
    List<String> missing = context.inferShapes();
    if (!missing.isEmpty()) {
      throw InferenceException.internal(
          ("model '%s': failed to specify the dimensions of all input tensors or values of all"
                  + " input shape tensors: %s")
              .formatted(model, String.join(", ", missing)));
    }
    for (int i = 0; i < outputs.size(); i++) {
      if (!dataDependent[i]) {
        int tensor = outputs.get(i).tensor().index();
        outputRanks[i] = context.readShape(tensor, outputDims[i]);
        if (isOpen(outputDims[i], outputRanks[i])) {
          dataDependent[i] = true;
          graphs = closed(graphs); // the enqueue waits for the device, which a capture refuses
          context.setOutputAllocator(tensor, this::allocate);
        }
      }
    }
    shapesKnown = true;
  }

  private static @Nullable ContextGraphs closed(@Nullable ContextGraphs graphs) {
    if (graphs != null) {
      graphs.close();
    }
    return null;
  }

  private static boolean isOpen(long[] dims, int rank) {
    for (int axis = 0; axis < rank; axis++) {
      if (dims[axis] == Shape.WILDCARD) {
        return true;
      }
    }
    return false;
  }

  /** Memory for an output whose size is known now. */
  private MemorySegment allocate(int tensor, long byteSize, long alignment) {
    BatchBuffers buffers = running;
    if (buffers == null) {
      throw new IllegalStateException(
          "model '%s': TensorRT asked for memory outside of an enqueue".formatted(model));
    }
    for (int i = 0; i < outputs.size(); i++) {
      if (outputs.get(i).tensor().index() == tensor) {
        return buffers.outputs[i].require(byteSize, alignment, stream);
      }
    }
    throw new IllegalStateException("model '%s' has no output %d".formatted(model, tensor));
  }

  private void prepareOutputs(BatchBuffers buffers) {
    for (int i = 0; i < outputs.size(); i++) {
      EngineOutput output = outputs.get(i);
      if (!dataDependent[i] && !output.tensor().shapeTensor()) {
        long byteSize = byteSize(outputDims[i], outputRanks[i], output.dataType().byteSize());
        MemorySegment address = buffers.outputs[i].require(byteSize, stream).address();
        setAddress(output.tensor().index(), address);
      }
    }
  }

  static long byteSize(long[] dims, int rank, int elementSize) {
    long elements = 1;
    for (int axis = 0; axis < rank; axis++) {
      elements = Math.multiplyExact(elements, dims[axis]);
    }
    return Math.multiplyExact(elements, (long) elementSize);
  }

  private void enqueue(DeviceInputs batch, BatchBuffers buffers, boolean replay) {
    ContextGraphs present = replay ? graphs : null;
    CudaGraph graph = null;
    if (present != null) {
      describe(batch, present.key());
      graph = present.find();
    }
    if (graph != null) {
      graph.launch(stream);
      buffers.consumed.record(stream);
      return;
    }
    if (!buffers.consumed.equals(consumed)) {
      consumed = null;
      context.setInputConsumedEvent(buffers.consumed);
      consumed = buffers.consumed;
    }
    context.enqueue(stream);
    if (present != null) {
      consumed = null; // a capture sets none
      present.enqueued();
    }
  }

  private void describe(DeviceInputs batch, GraphKey key) {
    key.clear();
    for (int i = 0; i < inputs.size(); i++) {
      for (int axis = 0; axis < batch.rank(i); axis++) {
        key.add(batch.dims(i)[axis]);
      }
    }
    for (long address : addresses) {
      key.add(address);
    }
  }

  private void readShapes(BatchBuffers buffers) {
    for (int i = 0; i < outputs.size(); i++) {
      if (dataDependent[i]) {
        buffers.outputRanks[i] =
            context.readShape(outputs.get(i).tensor().index(), buffers.outputDims[i]);
      } else {
        buffers.outputRanks[i] = outputRanks[i];
        System.arraycopy(outputDims[i], 0, buffers.outputDims[i], 0, MAX_RANK);
      }
    }
  }
}
