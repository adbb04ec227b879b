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
import org.junit.jupiter.api.Test;

class BrokenBackendsTest {
  private static void echo(Batch batch, Results results) {
    for (int i = 0; i < batch.size(); i++) {
      var input = batch.input(i, "IN").orElseThrow();
      var target = results.allocate(i, "OUT", DataType.FP32, input.shape(), input.byteSize());
      Elements.copy(input.data(), target);
    }
  }

  @Test
  void aRightBackendPasses() {
    assertThat(Launched.run(RightExecution.class).failed()).isEmpty();
    assertThat(Launched.run(RightMemory.class).failed()).isEmpty();
  }

  static final class RightExecution extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with(BrokenBackendsTest::echo);
    }
  }

  static final class RightMemory extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with(BrokenBackendsTest::echo);
    }
  }

  @Test
  void catchesABackendThatGivesTheWrongNumberOfRows() {
    assertThat(Launched.run(OneRowOnly.class).failed())
        .contains("givesEachRequestOfABatchAsManyRowsAsItBrought");
  }

  static final class OneRowOnly extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        for (int i = 0; i < batch.size(); i++) {
          results.allocate(i, "OUT", DataType.FP32, Shape.of(1, 4), 16).fill((byte) 0);
        }
      });
    }
  }

  @Test
  void catchesABackendThatMixesUpTheRowsOfABatch() {
    assertThat(Launched.run(FirstRequestForAll.class).failed())
        .containsOnly("answersARequestInABatchAsItAnswersItAlone");
  }

  static final class FirstRequestForAll extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        float first = batch.input(0, "IN").orElseThrow().data().get(Elements.FLOAT, 0);
        var target = results.allocateBatch("OUT", DataType.FP32, Shape.of(batch.rows(), 4));
        for (long at = 0; at < target.byteSize(); at += Float.BYTES) {
          target.set(Elements.FLOAT, at, first);
        }
      });
    }
  }

  @Test
  void catchesABackendThatAnswersTwice() {
    assertThat(Launched.run(Twice.class).failed()).contains("leavesInputsUntouched");
  }

  static final class Twice extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        echo(batch, results);
        results.send(0);
        swallowed(() -> results.send(0));
      });
    }

    private static void swallowed(Runnable call) {
      try {
        call.run();
      } catch (IllegalStateException rejected) {
        // the defect under test: a backend that ignores the exception
      }
    }
  }

  @Test
  void catchesABackendThatWritesIntoItsInputs() {
    assertThat(Launched.run(WritesInputs.class).failed()).containsOnly("leavesInputsUntouched");
  }

  static final class WritesInputs extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        echo(batch, results);
        batch.input(0, "IN").orElseThrow().data().set(Elements.FLOAT, 0, 42f);
      });
    }
  }

  @Test
  void catchesABackendThatKeepsAnInput() {
    assertThat(Launched.run(KeepsInputs.class).failed())
        .containsOnly("keepsNoInputOfABatchThatIsOver");
  }

  static final class KeepsInputs extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      List<MemorySegment> kept = new ArrayList<>();
      return BrokenBackend.with((batch, results) -> {
        echo(batch, results);
        kept.add(batch.input(0, "IN").orElseThrow().data());
        results.parameter(
            0, "first", new Parameter.OfDouble(kept.getFirst().get(Elements.FLOAT, 0)));
      });
    }
  }

  @Test
  void catchesABackendThatFreesWhatItGaveTooEarly() {
    assertThat(Launched.run(FreesEarly.class).failed())
        .contains("leavesWhatItGaveReadableUntilItIsReleased");
  }

  static final class FreesEarly extends MemoryVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenBackend.with((batch, results) -> {
        try (var arena = Arena.ofConfined()) {
          var shape = Shape.of(batch.rows(), 4);
          var data = arena.allocate(batch.rows() * 16);
          results.giveBatch(new Tensor("OUT", DataType.FP32, shape, data), () -> {});
        }
      });
    }
  }
}
