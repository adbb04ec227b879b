package io.nereid.engine.model.loading;

import io.nereid.config.InstanceSettings;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.OutputRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.scheduler.SchedulerModel;
import io.nereid.tck.scheduler.Statistics;
import io.nereid.tck.scheduler.TestRequest;
import io.nereid.tck.scheduler.TestResponse;
import io.nereid.tck.support.Outcome;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A loaded model, whose requests are submitted to the engine. */
public final class ModelUnderTest implements SchedulerModel, AutoCloseable {
  private final LoadedModel model;
  private final BufferPool pool;
  private final RequestAdmission engine;
  private final Gate gate;

  public ModelUnderTest(LoadedModel model, BufferPool pool, RequestAdmission engine) {
    this.model = model;
    this.pool = pool;
    this.engine = engine;
    this.gate = Gate.of(model.key().name());
  }

  @Override
  public TestResponse submit(TestRequest request) {
    return submit(request, OptionalLong.empty());
  }

  /**
   * Submits a request.
   *
   * @param version what the client asked for
   */
  public TestResponse submit(TestRequest request, OptionalLong version) {
    var answer = new TestResponse(model.key().name(), request);
    var promise = new ResponsePromise(new Recorder(answer));
    answer.onCancel(promise::cancel);
    List<Lease> leases = new ArrayList<>();
    List<Tensor> inputs = new ArrayList<>();
    for (Tensor input : request.inputs()) {
      Lease lease = pool.lease(input.byteSize());
      Elements.copy(input.data(), lease.segment());
      leases.add(lease);
      inputs.add(new Tensor(input.name(), input.dataType(), input.shape(), lease.segment()));
    }
    List<OutputRequest> outputs =
        request.outputs().stream().map(name -> new OutputRequest(name, true, 0)).toList();
    var decoded =
        new DecodedRequest(request.id(), inputs, outputs, request.options(), true, leases);
    engine.submit(model, version, decoded, promise, RequestAdmission.NO_LIMIT);
    return answer;
  }

  @Override
  public Statistics statistics() {
    StatisticsSnapshot snapshot = model.statistics();
    Map<Statistics.Reason, Long> failures = new EnumMap<>(Statistics.Reason.class);
    snapshot
        .failures()
        .forEach((reason, count) -> failures.put(Statistics.Reason.valueOf(reason.name()), count));
    Map<Long, Long> batches = new HashMap<>();
    snapshot.batches().forEach((rows, batch) -> batches.put(rows, batch.computeInfer().count()));
    return new Statistics(
        snapshot.requests().success().count(),
        failures,
        snapshot.inferenceCount(),
        snapshot.executionCount(),
        batches,
        snapshot.requests().cacheHit().count(),
        snapshot.requests().cacheMiss().count());
  }

  /** Replaces the instances. */
  void update(List<InstanceSettings> instances) {
    ((InstanceRuntime) model.runtime()).update(instances);
  }

  /** Whether every instance is idle or held by the gate. */
  boolean isIdle() {
    if (!(model.runtime() instanceof InstanceRuntime runtime)) {
      return true; // an ensemble is idle if its models are
    }
    return runtime.instances().executing().size() == gate.held().size();
  }

  /** The number of executions that have begun. */
  int executions() {
    return gate.executions().size();
  }

  @Override
  public void close() {
    model.close();
  }

  @Override
  public String toString() {
    return gate.toString();
  }

  /** Copies responses to a test's answer. */
  private record Recorder(TestResponse answer) implements ResponseReceiver {
    @Override
    public void next(InferenceResponse response) {
      answer.next(copy(response));
    }

    @Override
    public void answer(InferenceResponse response) {
      answer.answer(copy(response));
    }

    @Override
    public void complete() {
      answer.complete();
    }

    @Override
    public void fail(InferenceException failure) {
      answer.fail(failure);
    }

    private static Outcome.Outputs copy(InferenceResponse response) {
      try (response) {
        Map<String, Tensor> copies = new HashMap<>();
        for (Tensor output : response.outputs()) {
          var data = MemorySegment.ofArray(new byte[Math.toIntExact(output.byteSize())]);
          Elements.copy(output.data(), data);
          copies.put(
              output.name(), new Tensor(output.name(), output.dataType(), output.shape(), data));
        }
        return new Outcome.Outputs(copies, response.parameters());
      }
    }
  }
}
