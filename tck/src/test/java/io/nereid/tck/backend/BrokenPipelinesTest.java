package io.nereid.tck.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BrokenPipeline.Defect;
import io.nereid.tck.support.Launched;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each defect of a pipelined backend makes exactly the tests fail that it concerns. */
class BrokenPipelinesTest {
  private static final ScopedValue<Defect> DEFECT = ScopedValue.newInstance();

  static final class Pipeline extends PipelineVerification {
    @Override
    public BackendUnderTest backend() {
      return BrokenPipeline.with(DEFECT.get());
    }

    @Override
    protected Duration maxWait() {
      return Duration.ofMillis(100);
    }
  }

  private static List<String> failed(Defect defect) {
    return ScopedValue.where(DEFECT, defect).call(() -> Launched.run(Pipeline.class).failed());
  }

  @Test
  void aRightBackendPasses() {
    assertThat(failed(Defect.NONE)).isEmpty();
  }

  @Test
  void catchesABackendThatCountsItsDepthDown() {
    assertThat(failed(Defect.COUNTS_ITS_DEPTH_DOWN))
        .containsExactlyInAnyOrder("hasADepthThatDoesNotChange");
  }

  @Test
  void catchesABackendThatIsNotPipelined() {
    assertThat(failed(Defect.IS_NOT_PIPELINED)).hasSize(8);
  }

  @Test
  void catchesABackendWithOneBufferForAllBatches() {
    assertThat(failed(Defect.SHARES_ITS_BUFFER))
        .containsExactlyInAnyOrder("givesEachBatchInFlightItsOwnOutputs");
  }

  @Test
  void catchesABackendThatFinishesTheNewestBatch() {
    assertThat(failed(Defect.FINISHES_THE_NEWEST_BATCH))
        .containsExactlyInAnyOrder(
            "executesABatchAloneBetweenOthers",
            "finishesTheOldestBatchFirst",
            "keepsNothingOfABatchThatIsFinished",
            "hasADepthThatDoesNotChange",
            "givesEachBatchInFlightItsOwnOutputs",
            "finishesTheOthersIfABatchInFlightIsCancelled");
  }

  @Test
  void catchesABackendThatTakesItsWordBack() {
    assertThat(failed(Defect.TAKES_ITS_WORD_BACK))
        .containsExactlyInAnyOrder("canStartABatchOnceItHasSaidSo");
  }

  @Test
  void catchesABackendThatWaitsInCanStart() {
    assertThat(failed(Defect.WAITS_IN_CAN_START))
        .containsExactlyInAnyOrder("canStartABatchOnceItHasSaidSo");
  }

  @Test
  void catchesABackendThatDoesNotTellWhenABatchIsFinished() {
    assertThat(failed(Defect.NEVER_SAYS_THAT_IT_IS_FINISHED))
        .containsExactlyInAnyOrder("tellsThatABatchIsFinishedBeforeItIsAskedToFinishIt");
  }

  @Test
  void catchesABackendThatLeavesABatchInFlightThatItExecutesAlone() {
    assertThat(failed(Defect.FORGETS_TO_FINISH_ALONE))
        .containsExactlyInAnyOrder("executesABatchAloneBetweenOthers");
  }

  @Test
  void catchesABackendThatKeepsItsInputs() {
    assertThat(failed(Defect.KEEPS_ITS_INPUTS))
        .containsExactlyInAnyOrder(
            "keepsNothingOfABatchThatIsFinished",
            "givesEachBatchInFlightItsOwnOutputs",
            "canStartABatchOnceItHasSaidSo",
            "executesABatchAloneBetweenOthers");
  }

  @Test
  void catchesABackendThatDropsCancelledBatches() {
    assertThat(failed(Defect.DROPS_CANCELLED_BATCHES))
        .containsExactlyInAnyOrder("finishesTheOthersIfABatchInFlightIsCancelled");
  }
}
