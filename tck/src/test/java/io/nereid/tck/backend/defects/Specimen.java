package io.nereid.tck.backend.defects;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.Check;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A correct backend, of which a subclass changes one thing. Its model has one input, IN, and two
 * outputs: SAME is the input, and OTHER its negation. Its provider, backend, model and instances
 * are one object with a method for each method of the contract.
 */
class Specimen implements BackendProvider, BackendFactory {
  static final int MAX_BATCH = 8;
  static final int WIDTH = 4;
  static final int ROW = WIDTH * Float.BYTES;

  /** The limit of calls that hang: each is waited for, and a good one beside a load is shorter. */
  static final Duration SHORT_CALL = Duration.ofSeconds(2);

  /** The configuration before it is completed. */
  ModelConfig config() {
    return ModelConfig.of("specimen", "specimen")
        .withSignature(MAX_BATCH, List.of(tensor("IN")), List.of(tensor("SAME"), tensor("OTHER")));
  }

  static TensorConfig tensor(String name) {
    return TensorConfig.of(name, DataType.FP32, Shape.of(WIDTH));
  }

  @Override
  public String name() {
    return "specimen";
  }

  ModelConfig complete(ModelConfig config) {
    return config;
  }

  List<Integer> gpus() {
    return List.of();
  }

  List<String> warnings(ModelConfig config) {
    return List.of();
  }

  int count(InstanceSettings.Kind kind) {
    return 1;
  }

  void load(ModelConfig config) {
    if (config.name().equals("unloadable")) {
      throw InferenceException.invalid("model 'unloadable' cannot be loaded");
    }
  }

  void cancelLoads() {}

  void closeBackend() {}

  void open(InstanceSettings settings) {}

  boolean fillsOutputs() {
    return false;
  }

  Optional<HostAllocator> inputAllocator() {
    return Optional.empty();
  }

  Optional<BatchingStrategy> batchingStrategy() {
    return Optional.empty();
  }

  List<MemoryUsage> memoryUsage() {
    return List.of();
  }

  void closeModel() {}

  void execute(Batch batch, Results results) {
    answerAll(batch, results);
  }

  final void answerAll(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      answer(batch, i, results);
    }
  }

  /** Answers one request. */
  void answer(Batch batch, int i, Results results) {
    for (String output : List.of("SAME", "OTHER")) {
      if (results.wants(i, output)) {
        Tensor input = batch.input(i, "IN").orElseThrow();
        var target = results.allocate(i, output, DataType.FP32, input.shape(), input.byteSize());
        write(output, input.data(), target);
      }
    }
  }

  static void write(String output, MemorySegment input, MemorySegment target) {
    for (long at = 0; at < input.byteSize(); at += Float.BYTES) {
      float value = input.get(Elements.FLOAT, at);
      target.set(Elements.FLOAT, at, output.equals("SAME") ? value : -value);
    }
  }

  boolean runsOnAnyThread() {
    return false;
  }

  boolean isHealthy() {
    return true;
  }

  Optional<String> failureReason() {
    return Optional.empty();
  }

  void closeInstance() {}

  @Override
  public Backend open(BackendContext context) {
    return new Opened();
  }

  @Override
  public List<Check> check(BackendContext context) {
    return List.of();
  }

  private final class Opened implements Backend {
    @Override
    public ModelConfig complete(ModelFiles files, ModelConfig config) {
      return Specimen.this.complete(config);
    }

    @Override
    public List<Integer> gpus() {
      return Specimen.this.gpus();
    }

    @Override
    public List<String> warnings(ModelConfig config) {
      return Specimen.this.warnings(config);
    }

    @Override
    public int defaultInstanceCount(InstanceSettings.Kind kind) {
      return count(kind);
    }

    @Override
    public Model load(ModelFiles files, ModelConfig config) {
      Specimen.this.load(config);
      return model();
    }

    @Override
    public void cancelLoads() {
      Specimen.this.cancelLoads();
    }

    @Override
    public void close() {
      closeBackend();
    }
  }

  /** A loaded model. */
  Model model() {
    return new Loaded();
  }

  class Loaded implements Model {
    @Override
    public ModelInstance open(InstanceSettings settings) {
      Specimen.this.open(settings);
      return instance();
    }

    @Override
    public boolean fillsOutputs() {
      return Specimen.this.fillsOutputs();
    }

    @Override
    public Optional<HostAllocator> inputAllocator() {
      return Specimen.this.inputAllocator();
    }

    @Override
    public Optional<BatchingStrategy> batchingStrategy() {
      return Specimen.this.batchingStrategy();
    }

    @Override
    public List<MemoryUsage> memoryUsage() {
      return Specimen.this.memoryUsage();
    }

    @Override
    public void close() {
      closeModel();
    }
  }

  /** An open instance. */
  ModelInstance instance() {
    return new Instance();
  }

  class Instance implements ModelInstance {
    @Override
    public void execute(Batch batch, Results results) {
      Specimen.this.execute(batch, results);
    }

    @Override
    public boolean runsOnAnyThread() {
      return Specimen.this.runsOnAnyThread();
    }

    @Override
    public boolean isHealthy() {
      return Specimen.this.isHealthy();
    }

    @Override
    public Optional<String> failureReason() {
      return Specimen.this.failureReason();
    }

    @Override
    public void close() {
      closeInstance();
    }
  }

  @Override
  public BackendUnderTest backend() {
    return BackendUnderTest.of(this, new ModelFiles(Path.of("specimen"), 1), config());
  }

  /** The same with another model, which it must not load. */
  BackendUnderTest unloadable() {
    var config =
        ModelConfig.of("unloadable", "specimen")
            .withSignature(0, config().inputs(), config().outputs());
    return BackendUnderTest.of(this, new ModelFiles(Path.of("unloadable"), 1), config);
  }

  /** The same with a model that copies tensors of a type. */
  Optional<BackendUnderTest> identity(DataType type) {
    return Optional.empty();
  }

  @Override
  public Duration maxCall() {
    return Duration.ofSeconds(10);
  }

  /** A request with the parameter {@code bad}. */
  static SampleRequest bad(BackendFactory factory, ModelConfig config) {
    return SampleRequest.of(
        factory.inputs(config, 1, 99), Map.of("bad", new Parameter.OfBoolean(true)));
  }

  static boolean isBad(Batch batch, int i) {
    return batch.request(i).options().parameters().containsKey("bad");
  }
}
