package io.nereid.engine.model.control.lifecycle;

import static io.nereid.engine.model.control.lifecycle.ControlledRepository.config;
import static io.nereid.engine.model.control.lifecycle.ControlledRepository.ensemble;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.scheduler.TestResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads that load, unload, change and use models at random. Each copy must be closed once, no
 * copy may execute after that, and no request may fail but for the reason that its model does not
 * serve. More seeds: {@code -Dnereid.rounds=100}.
 */
class RandomOperationsTest extends LifecycleTests {
  private static final int ROUNDS = Integer.getInteger("nereid.rounds", 3);
  private static final int THREADS = 20;
  private static final int STEPS = 25;
  private static final List<String> MODELS = List.of("a", "b", "c", "d");
  private static final List<String> ALL = List.of("a", "b", "c", "d", "e", "f");
  private static final Set<StatusCode> NOT_SERVING =
      Set.of(StatusCode.NOT_FOUND, StatusCode.UNAVAILABLE);

  static LongStream seeds() {
    return LongStream.range(0, ROUNDS);
  }

  private static String open(int instances) {
    return config(
        instances,
        "version_policy { all {} } parameters { key: \"gate_open\" value { string_value: \"true\" } }");
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whateverIsDoneAtOnceTheModelsServeInTheEndAndNothingIsLeft(long seed) {
    MODELS.forEach(model -> repository.model(model, open(1), 1, 2));
    repository.model("e", ensemble("a", "b"), 1).model("f", ensemble("e", "c"), 1);
    List<Operation> threads = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      var random = new Random(seed * THREADS + thread);
      String name = "t" + thread;
      threads.add(Operation.start(() -> run(random, name)));
    }
    threads.forEach(Operation::join);

    assertConsistentWithTheLastOperation();
    assertUnloadedAtLast();
  }

  private void run(Random random, String name) {
    for (int step = 0; step < STEPS; step++) {
      String id = name + "." + step;
      String model = ALL.get(random.nextInt(ALL.size()));
      switch (random.nextInt(10)) {
        case 0, 1 -> tolerant(() -> load(model));
        case 2 -> tolerant(() -> manager.unload(model, random.nextBoolean()));
        case 3 -> {
          changeFile(random);
          tolerant(() -> load(model));
        }
        case 4 -> {
          changeInstances(random);
          tolerant(() -> load(model));
        }
        default -> request(model, random.nextInt(4), id);
      }
      assertThat(index()).isNotEmpty();
    }
  }

  private void changeFile(Random random) {
    String model = MODELS.get(random.nextInt(MODELS.size()));
    repository.touch("%s/%d/model.bin".formatted(model, 1 + random.nextInt(2)));
  }

  private void changeInstances(Random random) {
    String model = MODELS.get(random.nextInt(MODELS.size()));
    repository.model(model, open(1 + random.nextInt(3)));
  }

  /** Files that change while a model loads may make a load fail, and nothing else may. */
  private static void tolerant(Runnable operation) {
    try {
      operation.run();
    } catch (InferenceException failure) {
      assertThat(failure)
          .message()
          .containsAnyOf(
              "were changed while it was loading",
              "failed to poll",
              "contains models that are not",
              "depends on");
    }
  }

  /**
   * @param version 1 or 2; any other for the newest
   */
  private void request(String model, int version, String id) {
    TestResponse response;
    boolean fixed = version == 1 || version == 2;
    try {
      response = fixed ? submit(model, version, id) : submit(model, id);
    } catch (InferenceException notServing) {
      assertThat(notServing.code()).isIn(NOT_SERVING);
      return;
    }
    response.await();
    response
        .failure()
        .ifPresentOrElse(
            failure -> assertThat(failure.code()).isIn(NOT_SERVING),
            () -> {
              assertThat(response.responses()).hasSize(1);
              if (fixed && MODELS.contains(model)) {
                assertThat(loads(model).executor(id).version()).isEqualTo(version);
              }
            });
    assertThat(response.violations()).isEmpty();
  }

  private void assertConsistentWithTheLastOperation() {
    ALL.forEach(this::load);
    for (String model : ALL) {
      request(model, 0, "last." + model);
    }
    Set<String> rows = new HashSet<>(List.of("e 1 READY", "f 1 READY"));
    MODELS.forEach(model -> rows.addAll(List.of(model + " 1 READY", model + " 2 READY")));
    await(() -> Set.copyOf(index()).equals(rows), "all to be ready: " + index());
    for (String model : MODELS) {
      for (long version : new long[] {1, 2}) {
        await(
            () ->
                loads(model).copies(version).stream().filter(copy -> !copy.isClosedOnce()).count()
                    == 1,
            "one copy to be open");
      }
    }
  }

  private void assertUnloadedAtLast() {
    unload("a"); // and the ensembles
    unload("c");
    awaitIndex(
        "a 1 UNAVAILABLE unloaded",
        "a 2 UNAVAILABLE unloaded",
        "b 1 READY",
        "b 2 READY",
        "c 1 UNAVAILABLE unloaded",
        "c 2 UNAVAILABLE unloaded",
        "d 1 READY",
        "d 2 READY",
        "e 1 UNAVAILABLE unloaded",
        "f 1 UNAVAILABLE unloaded");
    await(() -> pool.outstanding() == 0, "the leases to be released");
  }
}
