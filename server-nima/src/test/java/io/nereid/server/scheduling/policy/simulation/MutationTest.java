package io.nereid.server.scheduling.policy.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.nereid.server.mutation.MutatedClasses;
import io.nereid.server.mutation.Mutation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Whether the simulations would notice: each of the bugs in {@code mutations.txt}, planted in a
 * copy of the policies, must be found.
 */
class MutationTest {
  /** Of so many bugs the build plants one; {@code -Dnereid.mutations=true} plants all. */
  private static final int SAMPLE = Boolean.getBoolean("nereid.mutations") ? 1 : 12;

  /** A bug that these do not show counts as not found. */
  private static final long SEEDS = Long.getLong("nereid.seeds", 10_000);

  private static final String POLICIES = "io.nereid.server.";
  private static final Path SOURCES = Path.of("src/main/java/io/nereid/server").toAbsolutePath();

  private static List<Mutation> mutations() throws IOException {
    try (InputStream table = MutationTest.class.getResourceAsStream("mutations.txt")) {
      return Mutation.parse(
          new String(Objects.requireNonNull(table).readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void everyBugHasItsPlaceInTheSource() throws IOException {
    for (Mutation mutation : mutations()) {
      assertThat(mutation.plantedIn(SOURCES)).isNotBlank();
    }
  }

  @TestFactory
  Stream<DynamicTest> everyPlantedBugIsFound() throws IOException {
    List<Mutation> mutations = mutations();
    return IntStream.range(0, mutations.size())
        .filter(index -> index % SAMPLE == 0)
        .mapToObj(mutations::get)
        .map(mutation -> DynamicTest.dynamicTest(mutation.toString(), () -> assertFound(mutation)));
  }

  private static void assertFound(Mutation mutation) throws Exception {
    LongFunction<Optional<String>> simulation =
        simulation(MutatedClasses.with(POLICIES, mutation, SOURCES), mutation.finder());
    OptionalLong seed =
        assertTimeoutPreemptively(
            Duration.ofMinutes(2), // a bug that never comes to an end is of no use here
            () ->
                LongStream.range(0, SEEDS)
                    .filter(each -> simulation.apply(each).isPresent())
                    .findFirst());
    assertThat(seed).as("the seed that shows it").isPresent();
    System.out.printf("found by seed %5d: %s%n", seed.getAsLong(), mutation);
  }

  /** What a scheduler's simulation finds with a seed, by these classes. */
  @SuppressWarnings("unchecked")
  private static LongFunction<Optional<String>> simulation(MutatedClasses classes, String scheduler)
      throws ClassNotFoundException {
    Object[] schedulers = classes.loadClass(SimulatedScheduler.class.getName()).getEnumConstants();
    return (LongFunction<Optional<String>>)
        Arrays.stream(schedulers)
            .filter(each -> each.toString().equals(scheduler))
            .findFirst()
            .orElseThrow();
  }
}
