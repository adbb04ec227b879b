package io.nereid.server.warmup;

import io.nereid.config.InstanceSettings;
import io.nereid.server.model.config.ModelConfiguration;
import io.nereid.server.model.config.conversion.ModelConfigRecords;
import io.nereid.server.protobuf.DataType;
import io.nereid.server.protobuf.ModelConfig;
import io.nereid.server.protobuf.ModelDynamicBatching;
import io.nereid.server.protobuf.ModelInput;
import io.nereid.server.protobuf.ModelOutput;
import io.nereid.spi.Batch;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The model of the warm-up: two outputs that are copies of the two inputs. */
final class WarmupModel implements Model {
  static final String NAME = "warmup";

  /** The elements of a row of each input. */
  static final int ELEMENTS = 16;

  static final String INTEGERS = "INPUT0";
  static final String FLOATS = "INPUT1";

  private static final int MAX_BATCH_SIZE = 8;

  static ModelConfiguration configuration() {
    ModelConfig message =
        ModelConfig.newBuilder()
            .setName(NAME)
            .setMaxBatchSize(MAX_BATCH_SIZE)
            .setDynamicBatching(ModelDynamicBatching.getDefaultInstance())
            .addInput(input(INTEGERS, DataType.TYPE_INT32))
            .addInput(input(FLOATS, DataType.TYPE_FP32))
            .addOutput(output("OUTPUT0", DataType.TYPE_INT32))
            .addOutput(output("OUTPUT1", DataType.TYPE_FP32))
            .build();
    return new ModelConfiguration(
        message,
        ModelConfigRecords.record(message),
        List.of(
            new InstanceSettings(
                NAME, InstanceSettings.Kind.KIND_CPU, 0, List.of(), /* passive= */ false)));
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

    @Override
    public void close() {}
  }
}
