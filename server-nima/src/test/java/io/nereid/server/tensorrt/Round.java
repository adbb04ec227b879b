package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.model.LoadedModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Logger;

/**
 * One round of random requests: a server with one model, clients, calls of CUDA and TensorRT that
 * fail, and a look at what is left in the end.
 */
final class Round {
  /** The logger of server and backend, which log every failure. */
  static final Logger LOG = Logger.getLogger("io.nereid");

  private static final int[] VERSIONS = {101501, 110100};
  private static final int CLIENTS = 6;
  private static final int AFTERWARDS = 20;
  private static final int ILLEGAL_ADDRESS = 700; // cudaErrorIllegalAddress: sticky
  private static final int LAUNCH_OUT_OF_RESOURCES = 701; // not sticky

  /** If a wait for a stream fails at the end, the stream is destroyed all the same. */
  private static final String ALLOWED = "a stream is destroyed while work is pending";

  /** What fails in a round. */
  private enum Faults {
    NONE,
    CALLS,
    DEVICE
  }

  private final Doubles doubles;
  private final Path repository;
  private final Path backends;
  private final boolean defect;
  private final long seed;
  private final SplittableRandom random;
  private Faults faults = Faults.NONE;
  private boolean failedUntilTheEnd;
  private final RandomClient.Outcomes outcomes = new RandomClient.Outcomes();

  /**
   * @param backends a backend directory, which need not exist
   * @param defect whether the backend has a defect
   */
  Round(Doubles doubles, Path repository, Path backends, boolean defect, long seed) {
    this.doubles = doubles;
    this.repository = repository;
    this.backends = backends;
    this.defect = defect;
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  /** Sends requests, and verifies that nothing is left. */
  RandomClient.Outcomes run(int requests) throws IOException {
    int version = VERSIONS[(int) (seed % VERSIONS.length)];
    doubles.begin(version);
    new RoundModel(random, defect).write(repository, version);
    faults = Faults.values()[random.nextInt(Faults.values().length)];
    serve(requests);
    verifyNothingIsLeft();
    faults = Faults.NONE;
    doubles.begin(version);
    serve(AFTERWARDS);
    verifyNothingIsLeft();
    return outcomes;
  }

  private void serve(int requests) {
    try (var server = new EmbeddedServer(repository, backends, doubles.options())) {
      LoadedModel model = server.load(RoundModel.NAME);
      inject();
      send(server, model, requests);
      failedUntilTheEnd = faults == Faults.CALLS && random.nextBoolean();
      if (!failedUntilTheEnd) {
        doubles.clearFaults();
      }
      server.unload(RoundModel.NAME);
    }
  }

  private void verifyNothingIsLeft() {
    Map<String, Long> left = doubles.left();
    Set<String> violations = doubles.violations();
    if (failedUntilTheEnd) {
      violations.remove(ALLOWED);
    }
    assertThat(violations).as("misuses, seed %d, faults in %s", seed, faults).isEmpty();
    assertThat(left).as("left, seed %d, faults in %s", seed, faults).isEmpty();
  }

  private void inject() {
    switch (faults) {
      case NONE -> {}
      case CALLS -> doubles.failAtRandom(random.nextInt(100, 5_000), LAUNCH_OUT_OF_RESOURCES, seed);
      case DEVICE -> doubles.fail("operation", random.nextInt(5_000), ILLEGAL_ADDRESS);
    }
  }

  private void send(EmbeddedServer server, LoadedModel model, int requests) {
    List<Future<RandomClient.Outcomes>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < CLIENTS; i++) {
        var client =
            new RandomClient(
                server,
                model,
                random.split(),
                failure -> faults != Faults.NONE && RandomClient.names(failure));
        clients.add(threads.submit(() -> client.run(requests / CLIENTS + 1)));
      }
    }
    for (Future<RandomClient.Outcomes> client : clients) {
      try {
        outcomes.add(client.get());
      } catch (ExecutionException failed) {
        throw new AssertionError(
            "seed %d, faults in %s".formatted(seed, faults), failed.getCause());
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        throw new AssertionError(stop);
      }
    }
  }
}
