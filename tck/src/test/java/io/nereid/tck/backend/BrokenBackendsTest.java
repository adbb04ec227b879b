package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.request.Parameter;
import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.echo.StatelessBackend;
import io.nereid.tck.support.Launched;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class BrokenBackendsTest {
  private static final ScopedValue<Supplier<BackendUnderTest>> TESTED = ScopedValue.newInstance();

  /** Has every verification use the current backend. */
  interface Broken extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return TESTED.get().get();
    }
  }

  static final class Execution extends ExecutionVerification implements Broken {}

  static final class Memory extends MemoryVerification implements Broken {}

  private static List<String> broken(Class<?> verification, BiConsumer<Batch, Results> tested) {
    return launched(verification, BrokenBackend.with(tested)).rules();
  }

  private static Launched launched(Class<?> verification, BackendUnderTest tested) {
    return ScopedValue.where(TESTED, () -> tested).call(() -> Launched.run(verification));
  }

  static void echo(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      var input = batch.input(i, "IN").orElseThrow();
      var target = results.allocate(i, "OUT", DataType.FP32, input.shape(), input.byteSize());
      Elements.copy(input.data(), target);
    }
  }

  @Test
  void aRightBackendPasses() {
    assertThat(broken(Execution.class, BrokenBackendsTest::echo)).isEmpty();
    assertThat(broken(Memory.class, BrokenBackendsTest::echo)).isEmpty();
  }

  @Test
  void catchesABackendThatGivesTheWrongNumberOfRows() {
    BiConsumer<Batch, Results> oneRowOnly =
        (batch, results) -> {
          for (int i = 0; i < batch.size(); i++) {
            results.allocate(i, "OUT", DataType.FP32, Shape.of(1, 4), 16).fill((byte) 0);
          }
        };
    assertThat(broken(Execution.class, oneRowOnly)).contains("BACKEND-EXEC-03");
  }

  @Test
  void catchesABackendThatMixesUpTheRowsOfABatch() {
    BiConsumer<Batch, Results> firstRequestForAll =
        (batch, results) -> {
          float first = batch.input(0, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
          var target = results.allocateBatch("OUT", DataType.FP32, Shape.of(batch.rows(), 4));
          for (long at = 0; at < target.byteSize(); at += Float.BYTES) {
            target.set(Elements.FLOAT, at, first);
          }
        };
    assertThat(broken(Execution.class, firstRequestForAll))
        .containsOnly("BACKEND-EXEC-04", "BACKEND-EXEC-08", "BACKEND-EXEC-11");
  }

  @Test
  void catchesABackendThatAnswersTwice() {
    BiConsumer<Batch, Results> twice =
        (batch, results) -> {
          echo(batch, results);
          results.send(0);
          try {
            results.send(0);
          } catch (IllegalStateException rejected) {
            // the defect under test: a backend that ignores the exception
          }
        };
    assertThat(broken(Memory.class, twice)).contains("BACKEND-EXEC-13");
  }

  @Test
  void catchesABackendThatWritesIntoItsInputs() {
    BiConsumer<Batch, Results> writesInputs =
        (batch, results) -> {
          echo(batch, results);
          batch.input(0, "IN").orElseThrow().data().set(Elements.FLOAT, 0, 42f);
        };
    assertThat(broken(Memory.class, writesInputs)).containsOnly("BACKEND-MEMORY-01");
  }

  @Test
  void catchesABackendThatKeepsAnInput() {
    Supplier<BackendUnderTest> keepsInputs =
        () -> {
          List<MemorySegment> kept = new ArrayList<>();
          return BrokenBackend.with((batch, results) -> {
            echo(batch, results);
            kept.add(batch.input(0, "IN").orElseThrow().data());
            results.parameter(
                0, "first", new Parameter.OfDouble(kept.getFirst().get(Elements.FLOAT, 0)));
          });
        };
    var launched = ScopedValue.where(TESTED, keepsInputs).call(() -> Launched.run(Memory.class));
    assertThat(launched.rules()).containsOnly("BACKEND-MEMORY-03");
  }

  @Test
  void catchesABackendThatFreesWhatItGaveTooEarly() {
    BiConsumer<Batch, Results> freesEarly =
        (batch, results) -> {
          try (var arena = Arena.ofShared()) {
            var shape = Shape.of(batch.rows(), 4);
            var data = arena.allocate(batch.rows() * 16);
            results.giveBatch(new Tensor("OUT", DataType.FP32, shape, data), () -> {});
          }
        };
    assertThat(broken(Memory.class, freesEarly)).contains("BACKEND-MEMORY-04");
  }

  @Test
  void catchesABackendThatGivesConfinedMemory() {
    BiConsumer<Batch, Results> confined =
        (batch, results) -> {
          var data = Arena.ofConfined().allocate(batch.rows() * 16);
          var shape = Shape.of(batch.rows(), 4);
          results.giveBatch(new Tensor("OUT", DataType.FP32, shape, data), () -> {});
        };
    assertThat(broken(Memory.class, confined)).contains("BACKEND-MEMORY-07");
  }

  @Test
  void catchesABackendThatGivesMemoryOnTheHeap() {
    BiConsumer<Batch, Results> onHeap =
        (batch, results) -> {
          var data = MemorySegment.ofArray(new float[(int) batch.rows() * 4]);
          var shape = Shape.of(batch.rows(), 4);
          results.giveBatch(new Tensor("OUT", DataType.FP32, shape, data), () -> {});
        };
    assertThat(broken(Memory.class, onHeap)).contains("BACKEND-MEMORY-07");
  }

  @Test
  void catchesABackendThatGivesAnOutputWhichIsNotDeclared() {
    BiConsumer<Batch, Results> unknown =
        (batch, results) -> {
          echo(batch, results);
          results.allocate(0, "UNKNOWN", DataType.FP32, Shape.of(1, 4), 16);
        };
    assertThat(broken(Execution.class, unknown)).contains("BACKEND-EXEC-09");
  }

  @Test
  void catchesABackendThatGivesAnOutputTwice() {
    BiConsumer<Batch, Results> twice =
        (batch, results) -> {
          echo(batch, results);
          echo(batch, results);
        };
    assertThat(broken(Execution.class, twice)).contains("BACKEND-EXEC-09");
  }

  @Test
  void catchesABackendThatClaimsToFillOutputsOfWhichItLeavesOutTheLastRow() {
    BiConsumer<Batch, Results> allButOneRow =
        (batch, results) -> {
          var input = batch.gathered("IN").orElseThrow();
          var target = results.allocateBatch("OUT", DataType.FP32, input.shape());
          long byteSize = input.byteSize() - 16;
          MemorySegment.copy(input.data(), 0, target, 0, byteSize);
        };
    var tested = BrokenBackend.filling(allButOneRow);

    assertThat(launched(Memory.class, tested).rules()).containsOnly("BACKEND-MEMORY-06");
  }

  /** A backend that opens memory of clients, or fails to, whatever it says. */
  private record Sharing(boolean declared) implements BackendProvider {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public boolean sharesDeviceMemory() {
      return declared;
    }

    @Override
    public Backend open(BackendContext context) {
      var stateless = new StatelessBackend(_ -> {}, BrokenBackendsTest::echo);
      return declared ? stateless : new OpensMemory(stateless);
    }
  }

  @Test
  void catchesABackendThatOpensMemoryOfClientsAlthoughItSaysThatItDoesNot() {
    var launched = launched(Memory.class, BrokenBackend.underTest(new Sharing(false)));
    assertThat(launched.rules()).containsOnly("BACKEND-MEMORY-08");
  }

  @Test
  void catchesABackendThatDoesNotOpenMemoryOfClientsAlthoughItSaysThatItDoes() {
    var launched = launched(Memory.class, BrokenBackend.underTest(new Sharing(true)));
    assertThat(launched.rules()).containsOnly("BACKEND-MEMORY-09");
  }

  @Test
  void catchesABackendWhoseBytesDoNotAddUp() {
    for (int length : List.of(3, 5)) { // of 4 bytes that follow
      BiConsumer<Batch, Results> wrongLength =
          (batch, results) -> {
            for (int i = 0; i < batch.size(); i++) {
              var target = results.allocate(i, "OUT", DataType.BYTES, Shape.of(1), 8);
              target.set(Elements.INT, 0, length);
            }
          };
      var config =
          ModelConfig.of("broken", "broken")
              .withSignature(
                  0,
                  List.of(TensorConfig.of("IN", DataType.FP32, Shape.of(4))),
                  List.of(TensorConfig.of("OUT", DataType.BYTES, Shape.of(1))));
      var broken = BrokenBackend.with(wrongLength);
      var tested = BackendUnderTest.of(broken.provider(), broken.files(), config);

      assertThat(launched(Execution.class, tested).rules()).contains("BACKEND-EXEC-10");
    }
  }
}
