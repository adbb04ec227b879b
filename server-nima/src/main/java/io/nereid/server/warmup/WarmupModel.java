package io.nereid.server.warmup;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.protocol.config.DataType;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelDynamicBatching;
import io.nereid.protocol.config.ModelInput;
import io.nereid.protocol.config.ModelOutput;
import io.nereid.server.warmup.WarmupRequest.Input;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A model of the warm-up: two outputs that are copies of the two inputs.
 *
 * @param batches whether it has the dynamic batcher, or none
 */
record WarmupModel(String name, boolean batches) implements Model {
  static final List<WarmupModel> ALL =
      List.of(new WarmupModel("single", false), new WarmupModel("batched", true));

  /** The elements of a row of each input. */
  private static final long ELEMENTS = 16;

  private static final String INTEGERS = "INPUT0";
  private static final String FLOATS = "INPUT1";

  private static final int MAX_BATCH_SIZE = 8;

  /** A request of one row for each of the models. */
  static List<WarmupRequest> requests() {
    List<Long> shape = List.of(1L, ELEMENTS);
    return ALL.stream()
        .map(model ->
            new WarmupRequest(
                model.name,
                List.of(new Input(INTEGERS, "INT32", shape), new Input(FLOATS, "FP32", shape))))
        .toList();
  }

  ModelConfiguration configuration() {
    var builder =
        ModelConfig.newBuilder()
            .setName(name)
            .setMaxBatchSize(MAX_BATCH_SIZE)
            .addInput(input(INTEGERS, DataType.TYPE_INT32))
            .addInput(input(FLOATS, DataType.TYPE_FP32))
            .addOutput(output("OUTPUT0", DataType.TYPE_INT32))
            .addOutput(output("OUTPUT1", DataType.TYPE_FP32));
    if (batches) {
      builder.setDynamicBatching(ModelDynamicBatching.getDefaultInstance());
    }
    ModelConfig message = builder.build();
    return new ModelConfiguration(
        message,
        ModelConfigRecords.record(message),
        List.of(
            new InstanceSettings(
                name, InstanceSettings.Kind.KIND_CPU, 0, List.of(), /* passive= */ false)));
  }

  private static ModelInput.Builder input(String name, DataType type) {
    return ModelInput.newBuilder().setName(name).setDataType(type).addDims(ELEMENTS);
  }

  private static ModelOutput.Builder output(String name, DataType type) {
    return ModelOutput.newBuilder().setName(name).setDataType(type).addDims(ELEMENTS);
  }

  @Override
  public ModelInstance open(InstanceSettings settings) {
    return new Instance();
  }

  @Override
  public boolean fillsOutputs() {
    return true;
  }

  @Override
  public void close() {}

  private static final class Instance implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      results.computeStarted();
      copy(batch, results, INTEGERS, "OUTPUT0");
      copy(batch, results, FLOATS, "OUTPUT1");
      results.computeEnded();
    }

    private static void copy(Batch batch, Results results, String from, String to) {
      Tensor input = batch.gathered(from).orElseThrow();
      MemorySegment output = results.allocateBatch(to, input.dataType(), input.shape());
      output.copyFrom(input.data());
    }

    /** So the thread of a connection executes some, as those of ONNX models. */
    @Override
    public boolean runsOnAnyThread() {
      return true;
    }

    /** And an event loop. */
    @Override
    public boolean hasBoundedTime() {
      return true;
    }

    @Override
    public void close() {}
  }
}
