package io.nereid.tensorrt;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.PipelinedInstance;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.execution.TestResults;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * A model with one instance, both of the calling thread, whose batches a test starts and finishes.
 * It closes what is open, in the order in which a server does.
 */
public final class ServedModel implements AutoCloseable {
  private final Backend backend;
  private final ModelConfig config;
  private final Model model;
  private final PipelinedInstance instance;
  private final List<Flight> flights = new ArrayList<>();
  private final List<MemorySegment> pinned = new ArrayList<>();

  private ServedModel(
      Backend backend, ModelConfig config, Model model, PipelinedInstance instance) {
    this.backend = backend;
    this.config = config;
    this.model = model;
    this.instance = instance;
  }

  /** Opens a model with an instance; a failure closes what was opened. */
  public static ServedModel open(BackendUnderTest tested) {
    return open(tested, List.of());
  }

  /**
   * Opens a model with an instance of some profiles.
   *
   * @param profiles of the instance group
   */
  public static ServedModel open(BackendUnderTest tested, List<String> profiles) {
    Backend backend = tested.provider().open(tested.context());
    try {
      var config = backend.complete(tested.files(), tested.config());
      Model model = backend.load(tested.files(), config);
      try {
        var plain = tested.instance(0);
        var settings =
            new InstanceSettings(plain.name(), plain.kind(), plain.deviceId(), profiles, false);
        return new ServedModel(backend, config, model, (PipelinedInstance) model.open(settings));
      } catch (RuntimeException failure) {
        model.close();
        throw failure;
      }
    } catch (RuntimeException failure) {
      backend.close();
      throw failure;
    }
  }

  public ModelConfig config() {
    return config;
  }

  public Model model() {
    return model;
  }

  public PipelinedInstance instance() {
    return instance;
  }

  /** A batch whose results a test reads. */
  public final class Flight {
    private final TestBatch batch;
    private final TestResults results;
    private boolean closed;

    private Flight(TestBatch batch) {
      this.batch = batch;
      this.results = new TestResults(config, batch);
      flights.add(this);
    }

    public TestBatch batch() {
      return batch;
    }

    /** The outputs of a request; it must have got exactly one response. */
    public Map<String, Tensor> outputs(int request) {
      return switch (answer(request)) {
        case Outcome.Outputs outputs -> outputs.tensors();
        case Outcome.Failure failure -> throw new AssertionError("failed", failure.exception());
      };
    }

    /** An output of a request. */
    public Tensor output(int request, String name) {
      return Objects.requireNonNull(outputs(request).get(name));
    }

    /** The failure of a request. */
    public InferenceException failure(int request) {
      return switch (answer(request)) {
        case Outcome.Outputs outputs -> throw new AssertionError("answered " + outputs);
        case Outcome.Failure failure -> failure.exception();
      };
    }

    private List<List<Outcome>> answers = List.of();

    private Outcome answer(int request) {
      if (answers.isEmpty()) {
        answers = results.answers();
        if (!results.violations().isEmpty()) {
          throw new AssertionError(results.violations());
        }
      }
      return answers.get(request).getFirst();
    }

    public List<Map<String, Tensor>> states() {
      return results.states();
    }

    /** The new state of a request's sequence. */
    public Tensor state(int request, String name) {
      return Objects.requireNonNull(states().get(request).get(name));
    }

    private void close() {
      if (!closed) {
        closed = true;
        if (answers.isEmpty()) {
          results.answers(); // releases what was given
        }
        results.close();
        batch.close();
      }
    }
  }

  /** A batch of requests for all outputs, in ordinary memory. */
  public TestBatch batch(List<List<Tensor>> requests) {
    return filled(new TestBatch(config), requests);
  }

  /** The same in memory of the model's input allocator. */
  public TestBatch pinnedBatch(List<List<Tensor>> requests) {
    return filled(new TestBatch(config, allocator()), requests);
  }

  /** Memory of the model's input allocator, freed when this is closed. */
  public LongFunction<MemorySegment> allocator() {
    var allocator = model.inputAllocator().orElseThrow();
    return byteSize -> {
      MemorySegment segment = allocator.allocate(byteSize);
      pinned.add(segment);
      return segment;
    };
  }

  private static TestBatch filled(TestBatch batch, List<List<Tensor>> requests) {
    requests.forEach(batch::add);
    return batch;
  }

  /** Starts a batch, which this closes. */
  public Flight start(TestBatch batch) {
    var flight = new Flight(batch);
    instance.start(batch, flight.results);
    return flight;
  }

  public Flight execute(TestBatch batch) {
    var flight = new Flight(batch);
    instance.execute(batch, flight.results);
    return flight;
  }

  public Flight execute(List<List<Tensor>> requests) {
    return execute(batch(requests));
  }

  @Override
  public void close() {
    instance.close();
    flights.forEach(Flight::close);
    pinned.forEach(segment -> model.inputAllocator().orElseThrow().free(segment));
    model.close();
    backend.close();
  }
}
