package io.nereid.tck.backend.defects;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.DetachedRequest;
import io.nereid.tck.support.Launched;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Each planted defect is seen by the rule of the table in {@code docs/backend-rules.md}. The build
 * runs a fraction, {@code make defects} all of them.
 */
class PlantedDefectsTest {
  private static final Path DOCUMENT = Path.of("../docs/backend-rules.md");

  /** The rule that no specimen follows: it is no service. */
  static final String NO_SERVICE = "BACKEND-LIFE-01";

  /** One of so many defects is run by the build. */
  private static final int EVERY = Integer.getInteger("nereid.defects.every", 8);

  /** A part of the ids of the rules that are run. */
  private static final String ONLY = System.getProperty("nereid.defects.only", "");

  @TestFactory
  Stream<DynamicTest> theRuleOfTheTableSeesTheDefect() {
    List<Planted> all = Planted.all();
    return IntStream.range(0, all.size())
        .filter(i -> i % EVERY == 0)
        .mapToObj(i -> all.get(i))
        .filter(planted -> planted.rule().contains(ONLY))
        .filter(planted -> Verifications.FULL || !planted.rule().contains("-LEAK-"))
        .map(planted ->
            dynamicTest(planted.rule() + " " + planted.defect(), () -> requireSeen(planted)));
  }

  private static void requireSeen(Planted planted) throws InterruptedException {
    Launched launched;
    try {
      launched = Verifications.run(planted.rule(), planted.specimen());
    } finally {
      LeakDefects.endThreads();
    }
    assertThat(launched.rules())
        .as("rules that see: %s; failures %s", planted.defect(), launched.failures())
        .contains(planted.rule());
  }

  private static Planted planted(String defect) {
    return Planted.all().stream()
        .filter(planted -> planted.defect().equals(defect))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void thereAreAtLeastAHundred() {
    assertThat(Planted.all()).hasSizeGreaterThanOrEqualTo(100);
    assertThat(Planted.all()).extracting(Planted::defect).doesNotHaveDuplicates();
  }

  @Test
  void theDocumentHasTheTable() throws IOException {
    Map<String, String> defects =
        Planted.all().stream()
            .collect(
                groupingBy(Planted::rule, TreeMap::new, mapping(Planted::defect, joining("<br>"))));
    String table =
        defects.entrySet().stream()
            .map(each -> "| %s | %s |".formatted(each.getKey(), each.getValue()))
            .collect(joining("\n"));
    assertThat(Files.readString(DOCUMENT)).contains(table);
  }

  @Test
  void oneWrongShapeFailsOneTest() {
    Launched launched = Verifications.run(planted("gives rows that are too short").specimen());

    assertThat(launched.rules()).containsExactlyInAnyOrder(NO_SERVICE, "BACKEND-EXEC-02");
    assertThat(launched.failures())
        .extracting(Throwable::getMessage)
        .anySatisfy(message ->
            assertThat(message)
                .contains("BACKEND-EXEC-02: output 'SAME' has shape [1,3], declared as [-1,4]"));
  }

  @Test
  void eachFailureNamesItsRule() {
    Launched launched = Verifications.run(planted("swaps requests of equal size").specimen());

    assertThat(launched.rules()).contains("BACKEND-EXEC-11");
    assertThat(launched.failures())
        .extracting(Throwable::getMessage)
        .allSatisfy(message -> assertThat(message).startsWith("BACKEND-"));
  }

  @Test
  void aModelThatDoesNotOpenFailsOneTest() {
    for (String method : List.of("complete", "load", "open")) {
      class Broken extends Specimen {
        private void fail(String called) {
          if (called.equals(method)) {
            throw new OutOfMemoryError("planted");
          }
        }

        @Override
        ModelConfig complete(ModelConfig config) {
          fail("complete");
          return config;
        }

        @Override
        void load(ModelConfig config) {
          fail("load");
          super.load(config);
        }

        @Override
        void open(InstanceSettings settings) {
          fail("open");
        }
      }
      Launched launched = Verifications.run(Broken::new);

      assertThat(launched.rules()).containsExactlyInAnyOrder(NO_SERVICE, "BACKEND-LIFE-03");
      assertThat(launched.failures())
          .extracting(Throwable::getMessage)
          .anyMatch(message ->
              message.contains("." + method + " throws java.lang.OutOfMemoryError: planted"));
    }
  }

  @Test
  void aCallThatHangsFailsOneTest() {
    Launched launched = Verifications.run(planted("hangs in load").specimen());

    assertThat(launched.failures())
        .extracting(Throwable::getMessage)
        .filteredOn(message ->
            message.contains(
                "Backend.load has not returned after %d ms"
                    .formatted(Specimen.SHORT_CALL.toMillis())))
        .hasSize(1);
    assertThat(launched.failures()).hasSizeLessThanOrEqualTo(2); // NO_SERVICE may be one
  }

  @Test
  void aDetachedRequestThatDoesNotEndFailsOneTest() {
    Launched launched = Verifications.run(planted("never ends a detached request").specimen());

    assertThat(launched.rules())
        .contains("BACKEND-DET-01")
        .isSubsetOf(NO_SERVICE, "BACKEND-DET-01");
    assertThat(launched.passed()).hasSizeLessThan(10); // each other one would wait as long
  }

  @Test
  void nothingMoreIsLoadedOnceManyThreadsAreLeft() throws InterruptedException {
    var loads = new AtomicInteger();
    class Leaking extends Specimen {
      @Override
      void load(ModelConfig config) {
        loads.incrementAndGet();
        for (int i = 0; i < 12; i++) {
          LeakDefects.leaveThread();
        }
      }
    }
    Launched launched;
    try {
      launched = Verifications.launch(Verifications.Leaks.class, Leaking::new);
    } finally {
      LeakDefects.endThreads();
    }

    assertThat(launched.rules()).containsExactly("BACKEND-LEAK-01");
    assertThat(launched.passed()).isEmpty();
    assertThat(loads).hasValueLessThan(Verifications.FULL ? 400 : 80);
  }

  @Test
  void nothingMoreIsLoadedAfterADetachedRequestThatDoesNotEnd() {
    var loads = new AtomicInteger();
    class Endless extends DetachedDefects.Later {
      @Override
      public Duration maxCall() {
        return SHORT_CALL;
      }

      @Override
      void load(ModelConfig config) {
        loads.incrementAndGet();
      }

      @Override
      void answer(DetachedRequest request) {}
    }
    Launched launched = Verifications.launch(Verifications.Detached.class, Endless::new);

    assertThat(launched.rules()).containsExactly("BACKEND-DET-01");
    assertThat(loads).hasValue(1);
  }
}
