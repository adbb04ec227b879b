package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.execution.ExecutedBatch;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Outcome;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tck.support.Tensors;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs of a batch of requests. */
public abstract class ExecutionVerification extends BackendVerification {
  @Rule("BACKEND-EXEC-01")
  void answersARequestWithAllOutputsItAskedFor() {
    try (var model = open()) {
      var execution = model.run(requests(model.config(), 1).subList(0, 1));

      List<String> names = model.config().outputs().stream().map(TensorConfig::name).toList();
      for (Outcome.Outputs response : execution.responses(0)) {
        assertThat(response.tensors().keySet()).containsExactlyInAnyOrderElementsOf(names);
      }
      extremes(model);
    }
  }

  @Rule("BACKEND-EXEC-02")
  void answersWithTheTypesAndShapesThatTheModelDeclares() {
    try (var model = open()) {
      model.run(requests(model.config(), 2)).requireSound();
      model.run(requests(model.config(), 2).subList(0, 1)).requireSound();
    }
  }

  @Rule("BACKEND-EXEC-03")
  void givesEachRequestOfABatchAsManyRowsAsItBrought() {
    try (var model = open()) {
      var requests = requests(model.config(), 3);
      var execution = model.run(requests);

      for (int i = 0; i < requests.size(); i++) {
        for (Outcome.Outputs response : execution.responses(i)) {
          assertThat(response.tensors()).isNotEmpty();
        }
      }
    }
  }

  @RuleCases("BACKEND-EXEC-04")
  @ValueSource(longs = {4, 5, 6})
  void answersARequestInABatchAsItAnswersItAlone(long seed) {
    try (var model = open()) {
      requireSameAlone(model, requests(model.config(), seed));
    }
  }

  private void requireSameAlone(OpenModel model, List<SampleRequest> requests) {
    var together = model.run(requests);
    for (int i = 0; i < requests.size(); i++) {
      var alone = model.run(List.of(requests.get(i)));
      String what = "request %d of %d in a batch, as it is alone".formatted(i, requests.size());
      assertSame(what, together.responses(i), alone.responses(0));
    }
  }

  @Rule("BACKEND-EXEC-05")
  void answersTheSameBatchTheSameWay() {
    try (var model = open();
        var other = openAnother(model.backend())) {
      var requests = requests(model.config(), 7);
      var small = List.of(request(model.config(), 1, 77));
      var first = model.run(requests);
      var firstSmall = other.run(small);
      model.run(requests(model.config(), 8));
      extremes(model);
      for (int times = 0; times < 3; times++) {
        assertSame(model.run(small), firstSmall);
        assertSame(model.run(requests), first);
      }
    }
  }

  @Rule("BACKEND-EXEC-06")
  void answersARequestForOneOutput() {
    try (var model = open()) {
      var request = request(model.config(), 1, 9);
      var all = model.run(List.of(request)).responses(0);
      for (TensorConfig output : model.config().outputs()) {
        String name = output.name();
        var alone = model.run(List.of(request.wanting(List.of(name)))).responses(0);
        var expected = all.stream().map(response -> only(List.of(name), response)).toList();
        assertSame("output '%s' alone, as it is among all".formatted(name), alone, expected);
      }
    }
  }

  private static Outcome.Outputs only(List<String> names, Outcome.Outputs response) {
    Map<String, Tensor> tensors = new HashMap<>();
    names.forEach(name -> tensors.put(name, Tensors.named(response, name)));
    return new Outcome.Outputs(tensors, response.parameters());
  }

  @Rule("BACKEND-EXEC-07")
  void answersTwoRequestsThatWantDifferentOutputs() {
    try (var model = open()) {
      var equal = equalRequests(model.config(), 10);
      var requests = equal.subList(0, Math.min(2, equal.size()));
      var all = model.run(requests);
      List<String> names = model.config().outputs().stream().map(TensorConfig::name).toList();
      for (String name : names) {
        requireWanted(model, requests, all, List.of(List.of(name), others(names, name)));
        requireWanted(model, requests, all, List.of(others(names, name), List.of(name)));
      }
    }
  }

  /** The names but one; all, if there is no other. */
  private static List<String> others(List<String> names, String name) {
    return names.size() == 1 ? names : names.stream().filter(each -> !each.equals(name)).toList();
  }

  private void requireWanted(
      OpenModel model, List<SampleRequest> requests, ExecutedBatch all, List<List<String>> wanted) {
    List<SampleRequest> wanting = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      wanting.add(requests.get(i).wanting(wanted.get(i)));
    }
    var execution = model.run(wanting);
    for (int i = 0; i < requests.size(); i++) {
      List<String> names = wanted.get(i);
      var expected = all.responses(i).stream().map(response -> only(names, response)).toList();
      String what = "outputs %s of request %d, as among all".formatted(names, i);
      assertSame(what, execution.responses(i), expected);
    }
  }

  @Rule("BACKEND-EXEC-08")
  void fillsTheLargestBatch() {
    try (var model = open()) {
      ModelConfig config = model.config();
      boolean rows = config.batches() && config.sequence().isEmpty();
      var request = request(config, rows ? config.maxBatchSize() : 1, 11);
      model.run(requests(config, 12)).requireSound();
      var together =
          model.run(List.of(request)).after("a request of the maximum size").responses(0);
      assertThat(together).allSatisfy(response -> assertThat(response.tensors()).isNotEmpty());

      assumeThat(hasIndependentRows() && isDeterministic() && rows && !config.decoupled())
          .as("rows can be compared one by one")
          .isTrue();
      for (int row : new int[] {0, config.maxBatchSize() / 2, config.maxBatchSize() - 1}) {
        var alone = row(config, request, row);
        assumeThat(alone).as("inputs whose rows have one size").isPresent();
        var expected = model.run(List.of(alone.orElseThrow())).outputs(0);
        together
            .getFirst()
            .tensors()
            .forEach((name, all) -> {
              Optional<Tensor> found = row(config, all, row);
              found.ifPresent(part -> Tensors.assertSame(part, Tensors.named(expected, name)));
            });
      }
    }
  }

  /** A request with one row of another one. */
  private static Optional<SampleRequest> row(ModelConfig config, SampleRequest request, int row) {
    List<Tensor> inputs = new ArrayList<>();
    for (Tensor input : request.inputs()) {
      Optional<Tensor> part =
          config.input(input.name()).map(TensorConfig::shapeTensor).orElse(false)
              ? Optional.of(input)
              : row(config, input, row);
      if (part.isEmpty()) {
        return Optional.empty();
      }
      inputs.add(part.get());
    }
    return Optional.of(new SampleRequest(inputs, request.outputs(), request.options()));
  }

  /** One row of a tensor; empty if rows differ in size, or are not those of the batch. */
  private static Optional<Tensor> row(ModelConfig config, Tensor all, int row) {
    boolean split =
        !all.dataType().hasFixedSize()
            || config.batchOutput(all.name()).isPresent()
            || config.output(all.name()).map(TensorConfig::shapeTensor).orElse(false);
    if (split) {
      return Optional.empty();
    }
    long byteSize = all.byteSize() / all.shape().dim(0);
    var data = MemorySegment.ofArray(new byte[Math.toIntExact(byteSize)]);
    Elements.copy(all.data().asSlice(row * byteSize, byteSize), data);
    return Optional.of(new Tensor(all.name(), all.dataType(), all.shape().withFirst(1), data));
  }

  @Rule("BACKEND-EXEC-09")
  void givesDeclaredOutputsOnceEach() {
    requireSound(12);
  }

  @Rule("BACKEND-EXEC-10")
  void givesAsManyBytesElementsAsTheShapeSays() {
    requireSound(13);
  }

  @Rule("BACKEND-EXEC-11")
  void answersRequestsOfEqualSizeInTheirOrder() {
    try (var model = open()) {
      var requests = equalRequests(model.config(), 14);
      requireSameAlone(model, requests);
      requireSameAlone(model, requests.subList(0, Math.min(2, requests.size())));
    }
  }

  @Rule("BACKEND-EXEC-12")
  void computesWhatIsExpected() {
    try (var model = open()) {
      var requests = requests(model.config(), 15);
      var execution = model.run(requests);
      for (int i = 0; i < requests.size(); i++) {
        var expected = expectedResponses(model.config(), requests.get(i));
        assumeThat(expected).as("expected outputs").isPresent();
        var responses = execution.responses(i);
        assertThat(responses).as("responses").hasSameSizeAs(expected.orElseThrow());
        for (int k = 0; k < responses.size(); k++) {
          assertComputed(responses.get(k), expected.get().get(k));
        }
      }
    }
  }

  private static void assertComputed(Outcome.Outputs outputs, Map<String, Tensor> expected) {
    expected.forEach((name, tensor) -> Tensors.assertSame(Tensors.named(outputs, name), tensor));
  }

  @Rule({"BACKEND-EXEC-13", "BACKEND-EXEC-14"})
  void endsEachRequestOnce() {
    try (var model = open();
        var cancelled = new TestBatch(model.config())) {
      model.run(requests(model.config(), 16)).requireSound();
      cancelled.addAll(requests(model.config(), 17)).cancel();
      model.execute(cancelled).found().requireNone();
    }
  }

  @Rule("BACKEND-EXEC-15")
  void servesARequestWithoutAnInputThatIsOptional() {
    try (var model = open()) {
      ModelConfig config = model.config();
      var optional = config.inputs().stream().filter(TensorConfig::optional).toList();
      assumeThat(optional).as("an optional input").isNotEmpty();
      assumeThat(config.inputs()).as("inputs").hasSizeGreaterThan(1);
      for (TensorConfig input : optional) {
        requireServedWithout(model, input.name());
      }
    }
  }

  private void requireServedWithout(OpenModel model, String name) {
    ModelConfig config = model.config();
    var without = leavingOut(name, request(config, 1, 18));
    var first = model.run(List.of(without)).after("'%s' was left out".formatted(name));
    var alone = first.responses(0);
    for (int seed = 18; seed < 20; seed++) {
      model.run(List.of(request(config, 1, seed))).after("that").responses(0);
      var next = model.run(List.of(without)).after("another request had '%s'".formatted(name));
      String what = "a request without '%s', behind one that had it".formatted(name);
      assertSame(what, next.responses(0), alone);
    }
    expected(config, without).ifPresent(expected -> assertComputed(first.outputs(0), expected));
  }

  private static SampleRequest leavingOut(String name, SampleRequest request) {
    return new SampleRequest(
        request.inputs().stream().filter(input -> !input.name().equals(name)).toList(),
        List.of(),
        request.options());
  }
}
