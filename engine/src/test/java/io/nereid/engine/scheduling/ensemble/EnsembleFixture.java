package io.nereid.engine.scheduling.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.EnsembleSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.FakeClock;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph;
import io.nereid.engine.scheduling.ensemble.graph.EnsembleGraph.ModelReference;
import io.nereid.engine.scheduling.policy.WaitLimit;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** An ensemble named e of models whose responses the test sends. */
public final class EnsembleFixture {
  private static final String NAME = "e";

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final Map<String, FakeCalledModel> models = new LinkedHashMap<>();
  private final List<EnsembleSettings.Step> steps = new ArrayList<>();
  private final AtomicInteger open = new AtomicInteger();
  private final FakeClock clock = new FakeClock();
  private final ModelStatistics statistics = TestStatistics.of(new ModelKey(NAME, 1));
  private ModelConfig config;
  private long maxInflightRequests;

  /**
   * @param inputs names separated by blanks; all tensors are INT32 vectors
   */
  public EnsembleFixture(String inputs, String outputs) {
    config = FakeCalledModel.vectors(NAME, List.of(inputs.split(" ")), List.of(outputs.split(" ")));
  }

  /** An ensemble of two models, b after a. */
  static EnsembleFixture chain() {
    return new EnsembleFixture("in", "out").step("a", "I=in", "O=x").step("b", "I=x", "O=out");
  }

  /** An ensemble of a model and two that read its output: l and r after head. */
  static EnsembleFixture diamond() {
    return new EnsembleFixture("in", "left right")
        .step("head", "I=in", "O=x")
        .step("l", "I=x", "O=left")
        .step("r", "I=x", "O=right");
  }

  /** A request that was sent. */
  record Sent(RecordedOutcome outcome, ResponsePromise promise, PendingRequest pending) {
    InferenceResponse response() {
      return outcome.response();
    }

    /** The numbers in an output of the only response, which is closed. */
    List<Integer> output(String name) {
      try (InferenceResponse response = outcome.response()) {
        return FakeCalledModel.ints(response.output(name).orElseThrow());
      }
    }
  }

  /**
   * Adds a step, whose model has the inputs and outputs of the maps.
   *
   * @param inputs such as {@code IN0=a IN1=b}
   */
  public EnsembleFixture step(String model, String inputs, String outputs) {
    Map<String, String> inputMap = map(inputs);
    Map<String, String> outputMap = map(outputs);
    steps.add(new EnsembleSettings.Step(model, OptionalLong.empty(), inputMap, outputMap));
    models.computeIfAbsent(
        model,
        _ ->
            new FakeCalledModel(
                FakeCalledModel.vectors(
                    model, List.copyOf(inputMap.keySet()), List.copyOf(outputMap.keySet())),
                pool));
    return this;
  }

  /** As {@link #step}, of a model that sends any number of responses. */
  EnsembleFixture decoupledStep(String model, String inputs, String outputs) {
    step(model, inputs, outputs);
    models.put(model, new FakeCalledModel(model(model).config().withDecoupled(true), pool));
    config = config.withDecoupled(true);
    return this;
  }

  EnsembleFixture maxInflightRequests(long max) {
    maxInflightRequests = max;
    return this;
  }

  private static Map<String, String> map(String text) {
    return Arrays.stream(text.split(" "))
        .map(pair -> pair.split("="))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  FakeCalledModel model(String name) {
    FakeCalledModel model = models.get(name);
    if (model == null) {
      throw new AssertionError("no model " + name);
    }
    return model;
  }

  FakeClock clock() {
    return clock;
  }

  EnsembleSettings settings() {
    return new EnsembleSettings(steps, maxInflightRequests);
  }

  ModelConfig config() {
    return config;
  }

  public EnsembleGraph graph() {
    return EnsembleGraph.of(config, settings());
  }

  EnsembleScheduler scheduler() {
    return scheduler(new WaitLimit(Ticket.NEVER));
  }

  EnsembleScheduler scheduler(WaitLimit waitLimit) {
    Map<ModelReference, FakeCalledModel> composing = new HashMap<>();
    graph().models().forEach(reference -> composing.put(reference, model(reference.name())));
    return new EnsembleScheduler(
        config, settings(), composing, clock, statistics.addInstance(), waitLimit);
  }

  /** The statistics of the ensemble. */
  StatisticsSnapshot statistics() {
    return statistics.snapshot(open.get(), List.of());
  }

  /** Sends a request that asks for every output; each input holds 1, 2, … in their order. */
  Sent send(EnsembleScheduler scheduler) {
    return send(
        scheduler,
        "id",
        RequestOptions.NONE,
        config.outputs().stream().map(output -> output.name()).toList());
  }

  Sent send(EnsembleScheduler scheduler, String id, RequestOptions options, List<String> outputs) {
    return send(
        scheduler, id, options, outputs, config.inputs().stream().map(in -> in.name()).toList());
  }

  Sent send(
      EnsembleScheduler scheduler,
      String id,
      RequestOptions options,
      List<String> outputs,
      List<String> inputs) {
    return send(scheduler, id, options, outputs, inputs, false);
  }

  /** Sends a request that was cancelled before. */
  void sendCancelled(EnsembleScheduler scheduler) {
    send(scheduler, "", RequestOptions.NONE, List.of("out"), List.of("in"), true);
  }

  private Sent send(
      EnsembleScheduler scheduler,
      String id,
      RequestOptions options,
      List<String> outputs,
      List<String> inputs,
      boolean cancelled) {
    List<Tensor> tensors = new ArrayList<>();
    List<Lease> leases = new ArrayList<>();
    for (String input : inputs) {
      Lease lease = pool.lease(4);
      leases.add(lease);
      lease.segment().set(Elements.INT, 0, leases.size());
      tensors.add(new Tensor(input, DataType.INT32, Shape.of(1), lease.segment()));
    }
    var request = new InferenceRequest(new ModelKey(NAME, 1), id, tensors, outputs, options);
    var outcome = new RecordedOutcome();
    var promise = new ResponsePromise(outcome);
    if (cancelled) {
      promise.cancel();
    }
    open.incrementAndGet();
    var pending =
        new PendingRequest(request, 1, leases, open::decrementAndGet, promise, 0, Long.MAX_VALUE);
    pending.setClient("client");
    scheduler.submit(pending);
    return new Sent(outcome, promise, pending);
  }

  /** The number of outstanding leases. */
  long leases() {
    return pool.outstanding();
  }

  /** Checks that all requests are closed, all models left and all leases released. */
  void assertNothingIsLeft() {
    assertThat(open).as("requests that were not closed").hasValue(0);
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
    models
        .values()
        .forEach(model -> assertThat(model.inside()).as("inside %s", model.key()).isZero());
  }

  /**
   * An ensemble of a decoupled model, {@code many}, and one that runs for each of its responses.
   */
  static EnsembleFixture pipeline() {
    return new EnsembleFixture("in", "out")
        .decoupledStep("many", "I=in", "O=x")
        .step("each", "I=x", "O=out");
  }

  /** Checks the first numbers of {@code out} in all responses, and closes them: nothing is left. */
  void assertResponses(Sent sent, Integer... values) {
    List<InferenceResponse> responses = new ArrayList<>(sent.outcome().earlier());
    responses.add(sent.response());
    assertThat(responses).extracting(EnsembleFixture::value).containsExactly(values);
    responses.forEach(InferenceResponse::close);
    assertNothingIsLeft();
  }

  /** The first number of {@code out}. */
  static Integer value(InferenceResponse response) {
    return FakeCalledModel.ints(response.output("out").orElseThrow()).getFirst();
  }
}
