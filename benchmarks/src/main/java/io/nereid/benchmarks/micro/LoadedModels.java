package io.nereid.benchmarks.micro;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.engine.EngineParts;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** One or several models {@code identity_fp32} and an ensemble with ten steps that use them. */
final class LoadedModels {
  static final int STEPS = 10;

  private static final int COUNT = 16;
  private static final int QUEUE_CAPACITY = 16;
  private static final long POOL_BYTES = 1L << 28;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final Path repository = Files.createTempDirectory("nereid-ensemble");
  private final EngineParts engine;
  private final List<LoadedModel> steps;
  private final LoadedModel ensemble;

  /** Loads the models as the server does, from a directory that {@link #close} deletes. */
  LoadedModels(int models) throws IOException {
    for (int i = 0; i < models; i++) {
      copyIdentity(repository, "identity" + i);
    }
    Files.createDirectories(repository.resolve("ensemble/1"));
    Files.writeString(repository.resolve("ensemble/config.pbtxt"), ensembleConfig(models));
    engine = start(Engine.builder().repository(repository).maxQueuedRequests(QUEUE_CAPACITY), pool);
    steps =
        IntStream.range(0, STEPS)
            .mapToObj(i -> engine.admission().model("identity" + i % models, OptionalLong.empty()))
            .toList();
    ensemble = engine.admission().model("ensemble", OptionalLong.empty());
  }

  /** Starts an engine, whose models are all ready then. */
  static EngineParts start(EngineBuilder settings, SlabPool pool) throws IOException {
    var engine = new EngineParts(settings.settings(), pool, () -> true);
    if (!engine.load()) {
      throw new IllegalStateException("not all models load");
    }
    engine.serve();
    return engine;
  }

  /** The models of the ten steps in order. */
  List<LoadedModel> steps() {
    return steps;
  }

  LoadedModel ensemble() {
    return ensemble;
  }

  private static void copyIdentity(Path repository, String name) throws IOException {
    Path version = Files.createDirectories(repository.resolve(name).resolve("1"));
    Files.write(version.resolve("model.onnx"), example("identity_fp32/1/model.onnx"));
    String config = new String(example("identity_fp32/config.pbtxt"), StandardCharsets.UTF_8);
    Files.writeString(
        repository.resolve(name).resolve("config.pbtxt"), config.replace("identity_fp32", name));
  }

  /** A file of {@code examples/models} or of the resources of this module. */
  static byte[] example(String file) throws IOException {
    try (var content = LoadedModels.class.getResourceAsStream("/" + file)) {
      if (content == null) {
        throw new IllegalStateException(file + " is not on the class path");
      }
      return content.readAllBytes();
    }
  }

  private static String ensembleConfig(int models) {
    var config = new StringBuilder();
    config.append(
        """
        platform: "ensemble"
        input { name: "t0" data_type: TYPE_FP32 dims: -1 }
        output { name: "t%d" data_type: TYPE_FP32 dims: -1 }
        ensemble_scheduling {
        """
            .formatted(STEPS));
    for (int i = 0; i < STEPS; i++) {
      config.append(
          """
          step {
            model_name: "identity%d"
            model_version: -1
            input_map { key: "INPUT0" value: "t%d" }
            output_map { key: "OUTPUT0" value: "t%d" }
          }
          """
              .formatted(i % models, i, i + 1));
    }
    return config.append("}\n").toString();
  }

  /** Submits a request as a front end does, and waits for the response. */
  long call(LoadedModel model, String input, String output) {
    Lease lease = pool.lease((long) COUNT * Float.BYTES);
    var tensor = new Tensor(input, DataType.FP32, Shape.of(COUNT), lease.segment());
    var decoded =
        new DecodedRequest(
            "",
            List.of(tensor),
            List.of(new OutputRequest(output, true, 0)),
            RequestOptions.NONE,
            true,
            List.of(lease));
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    engine
        .admission()
        .submit(model, OptionalLong.empty(), decoded, promise, RequestAdmission.NO_LIMIT);
    try (InferenceResponse response = receiver.await(promise)) {
      return response.outputs().getFirst().byteSize();
    }
  }

  void close() throws IOException {
    engine.close();
    delete(repository);
  }

  /** Deletes a directory and all that it contains. */
  static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
