package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.engine.EngineParts;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** An engine whose close fails if a lease is outstanding. */
final class EmbeddedServer implements AutoCloseable {
  private final BufferPool pool = new CheckedBufferPool();
  private final EngineParts engine;

  /**
   * @param repository of the models
   * @param backendDirectory with jars of backends; need not exist
   * @param options of the backend {@code tensorrt}
   */
  EmbeddedServer(Path repository, Path backendDirectory, Map<String, String> options) {
    EngineBuilder settings =
        Engine.builder().repository(repository).startWith().backendDirectory(backendDirectory);
    options.forEach((key, value) -> settings.backendSetting("tensorrt", key, value));
    try {
      engine = new EngineParts(settings.settings(), pool, () -> true);
    } catch (IOException impossible) { // it writes no file
      throw new UncheckedIOException(impossible);
    }
    assertThat(engine.load()).isTrue();
    engine.serve();
  }

  /**
   * Loads a model, or loads it again.
   *
   * @throws io.nereid.error.InferenceException why it cannot be loaded
   */
  LoadedModel load(String model) {
    engine.models().load(model, LoadParameters.NONE);
    return engine.admission().model(model, OptionalLong.empty());
  }

  /** Unloads a model once its last request has ended. */
  void unload(String model) {
    engine.models().unload(model, false);
  }

  /** Submits a request for all outputs as a front end does; the inputs are copied. */
  Answer submit(LoadedModel model, List<Tensor> inputs) {
    var answer = new Answer();
    try {
      DecodedRequest decoded = decoded(model.inputPool(), inputs);
      var promise = new ResponsePromise(answer);
      answer.cancelWith(promise::cancel);
      engine
          .admission()
          .submit(model, OptionalLong.empty(), decoded, promise, RequestAdmission.NO_LIMIT);
    } catch (InferenceException noMemory) {
      answer.fail(noMemory);
    }
    return answer;
  }

  private static DecodedRequest decoded(BufferPool pool, List<Tensor> inputs) {
    List<Lease> leases = new ArrayList<>();
    List<Tensor> leased = new ArrayList<>();
    try {
      for (Tensor input : inputs) {
        Lease lease = pool.lease(input.byteSize());
        leases.add(lease);
        Elements.copy(input.data(), lease.segment());
        leased.add(new Tensor(input.name(), input.dataType(), input.shape(), lease.segment()));
      }
    } catch (InferenceException noMemory) {
      leases.forEach(Lease::close);
      throw noMemory;
    }
    return new DecodedRequest("", leased, List.of(), RequestOptions.NONE, true, leases);
  }

  @Override
  public void close() {
    engine.close();
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
