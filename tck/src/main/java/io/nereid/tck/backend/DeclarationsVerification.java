package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.InferenceRequest;
import io.nereid.spi.Backend;
import io.nereid.spi.BatchingStrategy;
import io.nereid.spi.Check;
import io.nereid.spi.HostAllocator;
import io.nereid.spi.MemoryUsage;
import io.nereid.tck.Rule;
import io.nereid.tck.execution.TestBatch;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.SampleRequest;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * What a backend, its models and instances say of themselves, and the objects that they provide.
 */
public abstract class DeclarationsVerification extends BackendVerification {
  private static final int ALIGNMENT = 64;
  private static final long SLAB = 1 << 20;

  /** How long a method may take for which the server waits 50 ms. */
  private static final Duration USAGE = Duration.ofMillis(100);

  /** How long a decision on a request may take, for which a model's requests wait. */
  private static final Duration DECISION = Duration.ofMillis(10);

  @Rule("BACKEND-DECL-01")
  void namesItsGpusInOrder() {
    try (var backend = openBackend()) {
      List<Integer> gpus = present("Backend.gpus", backend.ask("gpus", Backend::gpus));
      assertThat(gpus).as("ids of GPUs").isSorted().doesNotHaveDuplicates();
      assertThat(gpus).as("ids of GPUs").allMatch(id -> id >= 0);
    }
  }

  @Rule("BACKEND-DECL-02")
  void hasADefaultCountOfInstancesForEachKindOfDevice() {
    try (var backend = openBackend()) {
      for (InstanceSettings.Kind kind : InstanceSettings.Kind.values()) {
        int count = backend.ask("defaultInstanceCount", asked -> asked.defaultInstanceCount(kind));
        assertThat(count).as("default number of instances for %s", kind).isPositive();
      }
    }
  }

  @Rule("BACKEND-DECL-03")
  void warnsInSentencesThatNameTheModel() {
    try (var model = open()) {
      var config = model.config();
      List<String> warnings =
          present(
              "Backend.warnings", model.backend().ask("warnings", asked -> asked.warnings(config)));
      assertThat(warnings)
          .allSatisfy(warning -> assertThat(warning).doesNotContain("\n").contains(config.name()));
    }
  }

  @Rule("BACKEND-DECL-04")
  void tellsItsMemoryUsageToAnyThread() {
    try (var backend = openBackend()) {
      OpenModel closed;
      try (var model = open(backend);
          var thread = backend.thread()) {
        closed = model;
        requireUsage(backend.loader().call("Model.memoryUsage", () -> usage(model)));
        requireWhileItExecutes(model, "Model.memoryUsage", model.model()::memoryUsage);
        requireUsage(thread.call("Model.memoryUsage", () -> usage(model)));
      }
      // "even while the model is closed"
      requireUsage(backend.loader().call("Model.memoryUsage", () -> usage(closed)));
    }
  }

  private static List<MemoryUsage> usage(OpenModel model) {
    List<List<MemoryUsage>> usage = new ArrayList<>();
    Duration took = shortest(USAGE, () -> timed(() -> usage.add(model.model().memoryUsage())));
    assertThat(took).as("the time of Model.memoryUsage").isLessThan(USAGE);
    return usage.getLast();
  }

  private static void requireUsage(List<MemoryUsage> usage) {
    List<MemoryUsage> present = present("Model.memoryUsage", usage);
    assertThat(present)
        .extracting(MemoryUsage::type)
        .allMatch(List.of("CPU", "CPU_PINNED", "GPU")::contains);
  }

  @Rule("BACKEND-DECL-05")
  void allocatesMemoryForInputs() {
    List<MemorySegment> kept = new ArrayList<>();
    try (var backend = openBackend()) {
      HostAllocator host;
      try (var model = open(backend);
          var other = backend.thread()) {
        Optional<HostAllocator> found =
            backend.loader().call("Model.inputAllocator", model.model()::inputAllocator);
        assertThat(found).as("Model.inputAllocator").isNotNull();
        assumeThat(found).as("an allocator of memory for inputs").isPresent();
        host = found.orElseThrow();
        var requests = requests(model.config(), 2);
        long byteSizes =
            requests.stream()
                .flatMap(each -> each.inputs().stream())
                .mapToLong(input -> input.byteSize() + ALIGNMENT)
                .sum();
        long inputs = Math.max(SLAB, 2 * byteSizes); // what is gathered lies there, too
        for (long byteSize : new long[] {inputs, 2 * SLAB, SLAB}) {
          MemorySegment slab = other.call("HostAllocator.allocate", () -> host.allocate(byteSize));
          requireSlab(slab, byteSize);
          assertThat(kept)
              .as("slabs do not overlap")
              .allMatch(k -> k.asOverlappingSlice(slab).isEmpty());
          kept.add(slab);
        }
        var first = kept.removeFirst();
        requireSameIn(model, first, requests);
        backend.loader().run("HostAllocator.free", () -> host.free(first));
      }
      for (MemorySegment slab : kept) { // "called even after the model is closed"
        backend.loader().run("HostAllocator.free", () -> host.free(slab));
      }
    }
  }

  private static void requireSlab(MemorySegment slab, long byteSize) {
    assertThat(slab.byteSize()).as("size of the memory").isEqualTo(byteSize);
    assertThat(slab.address() % ALIGNMENT).as("address modulo %d", ALIGNMENT).isZero();
    assertThat(slab.isNative() && slab.isAccessibleBy(Thread.ofPlatform().unstarted(() -> {})))
        .as("memory is native, and every thread may access it")
        .isTrue();
    slab.fill((byte) 1); // its last byte too
  }

  private void requireSameIn(OpenModel model, MemorySegment slab, List<SampleRequest> requests) {
    var expected = model.run(requests).requireSound();
    var used = new long[1];
    try (var batch =
        new TestBatch(
            model.config(),
            byteSize -> {
              long start = used[0];
              used[0] += (byteSize + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
              return slab.asSlice(start, byteSize);
            })) {
      var execution = model.execute(batch.addAll(requests));
      assertSame(execution.after("its inputs lay in memory of its own"), expected);
    }
  }

  @Rule("BACKEND-DECL-06")
  void decidesTheSameWhenItIsAskedAgain() {
    try (var model = open()) {
      Optional<BatchingStrategy> found =
          model.backend().loader().call("Model.batchingStrategy", model.model()::batchingStrategy);
      assertThat(found).as("Model.batchingStrategy").isNotNull();
      assumeThat(found).as("a batching strategy").isPresent();
      var requests = equalRequests(model.config(), 3);
      Duration atMost = DECISION.multipliedBy(requests.size());
      List<List<Boolean>> rounds = new ArrayList<>();
      List<Duration> times = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        // requests whose memory ends: the strategy must not keep them
        try (var thread = model.backend().thread();
            var batch = new TestBatch(model.config()).addAll(requests)) {
          thread.run(
              "BatchingStrategy",
              () -> times.add(timed(() -> rounds.add(decisions(found.orElseThrow(), batch)))));
        }
      }
      assertThat(new HashSet<>(rounds)).as("decisions on the same batch").hasSize(1);
      assertThat(Collections.min(times)).as("the time of decisions on a batch").isLessThan(atMost);
    }
  }

  private static List<Boolean> decisions(BatchingStrategy strategy, TestBatch batch) {
    List<Boolean> decisions = new ArrayList<>();
    InferenceRequest first = batch.request(0);
    strategy.begin(first);
    for (int i = 1; i < batch.size(); i++) {
      decisions.add(strategy.includes(batch.request(i)));
    }
    return decisions;
  }

  @Rule("BACKEND-DECL-07")
  void checksTheMachineBeforeItIsOpened() {
    var context = backend().context();
    for (int times = 0; times < 2; times++) {
      List<Check> checks =
          present(
              "BackendProvider.check",
              ask("BackendProvider.check", provider -> provider.check(context)));
      for (Check check : checks) {
        assertThat(check.level()).isNotNull();
        assertThat(check.subject()).isNotBlank();
        assertThat(check.finding()).isNotBlank().doesNotContain("\n");
        assertThat(check.cure()).isNotNull();
      }
    }
    try (var model = open()) {
      model.run(requests(model.config(), 4)).after("BackendProvider.check").responses(0);
    }
  }

  @Rule("BACKEND-DECL-08")
  void cancelsLoadsFromAnyThread() {
    assumeThat(opensOnce()).as("the backend is opened once, and loads are cancelled").isFalse();
    open().close();
    assertThat(shortest(CHEAP, this::cancelLoads)).as("the time of cancelLoads").isLessThan(CHEAP);
  }

  /** How long it takes; the backend may load a model then, or refuse to. */
  private Duration cancelLoads() {
    try (var backend = openBackend();
        var thread = backend.thread()) {
      Duration took =
          thread.call("Backend.cancelLoads", () -> timed(backend.backend()::cancelLoads));
      try (var model = OpenModel.of(backend)) {
        model.run(requests(model.config(), 5)).after("loads were cancelled").responses(0);
      } catch (InferenceException refused) {
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(StatusCode.UNAVAILABLE);
      }
      return took;
    }
  }

  @Rule("BACKEND-DECL-09")
  void hasAReasonForAFailureInOneSentence() {
    try (var model = open();
        var thread = model.backend().thread()) {
      model.run(requests(model.config(), 6)).requireSound();
      Optional<String> reason =
          thread.call("ModelInstance.failureReason", () -> model.instance().failureReason());
      assertThat(reason).as("ModelInstance.failureReason").isNotNull();
      assertThat(reason.orElse("-")).isNotBlank();
    }
  }

  @Rule("BACKEND-DECL-10")
  void declaresTheSameOfAModelEachTime() {
    try (var model = open()) {
      boolean fills = model.fillsOutputs();
      List<SampleRequest> requests = requests(model.config(), 7);
      model.run(requests).requireSound();
      assertThat(model.fillsOutputs()).as("Model.fillsOutputs").isEqualTo(fills);
    }
  }
}
