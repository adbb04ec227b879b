package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tck.BackendUnderTest;
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
  private static final ScopedValue<Supplier<BiConsumer<Batch, Results>>> TESTED =
      ScopedValue.newInstance();

  /** Has every verification use the current backend. */
  interface Broken extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return BrokenBackend.with(TESTED.get().get());
    }
  }

  static final class Execution extends ExecutionVerification implements Broken {}

  static final class Memory extends MemoryVerification implements Broken {}

  private static List<String> failed(Class<?> verification, BiConsumer<Batch, Results> tested) {
    return ScopedValue.where(TESTED, () -> tested).call(() -> Launched.run(verification).failed());
  }

  private static void echo(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      var input = batch.input(i, "IN").orElseThrow();
      var target = results.allocate(i, "OUT", DataType.FP32, input.shape(), input.byteSize());
      Elements.copy(input.data(), target);
    }
  }

  @Test
  void aRightBackendPasses() {
    assertThat(failed(Execution.class, BrokenBackendsTest::echo)).isEmpty();
    assertThat(failed(Memory.class, BrokenBackendsTest::echo)).isEmpty();
  }

  @Test
  void catchesABackendThatGivesTheWrongNumberOfRows() {
    BiConsumer<Batch, Results> oneRowOnly =
        (batch, results) -> {
          for (int i = 0; i < batch.size(); i++) {
            results.allocate(i, "OUT", DataType.FP32, Shape.of(1, 4), 16).fill((byte) 0);
          }
        };
    assertThat(failed(Execution.class, oneRowOnly))
        .contains("givesEachRequestOfABatchAsManyRowsAsItBrought");
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
    assertThat(failed(Execution.class, firstRequestForAll))
        .containsOnly("answersARequestInABatchAsItAnswersItAlone");
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
    assertThat(failed(Memory.class, twice)).contains("leavesInputsUntouched");
  }

  @Test
  void catchesABackendThatWritesIntoItsInputs() {
    BiConsumer<Batch, Results> writesInputs =
        (batch, results) -> {
          echo(batch, results);
          batch.input(0, "IN").orElseThrow().data().set(Elements.FLOAT, 0, 42f);
        };
    assertThat(failed(Memory.class, writesInputs)).containsOnly("leavesInputsUntouched");
  }

  @Test
  void catchesABackendThatKeepsAnInput() {
    Supplier<BiConsumer<Batch, Results>> keepsInputs =
        () -> {
          List<MemorySegment> kept = new ArrayList<>();
          return (batch, results) -> {
            echo(batch, results);
            kept.add(batch.input(0, "IN").orElseThrow().data());
            results.parameter(
                0, "first", new Parameter.OfDouble(kept.getFirst().get(Elements.FLOAT, 0)));
          };
        };
    var launched = ScopedValue.where(TESTED, keepsInputs).call(() -> Launched.run(Memory.class));
    assertThat(launched.failed()).containsOnly("keepsNoInputOfABatchThatIsOver");
  }

  @Test
  void catchesABackendThatFreesWhatItGaveTooEarly() {
    BiConsumer<Batch, Results> freesEarly =
        (batch, results) -> {
          try (var arena = Arena.ofConfined()) {
            var shape = Shape.of(batch.rows(), 4);
            var data = arena.allocate(batch.rows() * 16);
            results.giveBatch(new Tensor("OUT", DataType.FP32, shape, data), () -> {});
          }
        };
    assertThat(failed(Memory.class, freesEarly))
        .contains("leavesWhatItGaveReadableUntilItIsReleased");
  }
}
