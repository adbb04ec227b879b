package io.nereid.tck.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.support.Launched;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokenSchedulersTest {
  private static final ScopedValue<Defect> DEFECT = ScopedValue.newInstance();

  private static final List<Class<?>> VERIFICATIONS =
      Stream.<Class<?>>of(BrokenSchedulersTest.class.getDeclaredClasses())
          .filter(SchedulerVerification.class::isAssignableFrom)
          .toList();

  /** Has every verification use the scheduler with the current defect. */
  interface Plain extends SchedulerFactory {
    @Override
    default SchedulerUnderTest openScheduler() {
      return new PlainScheduler(DEFECT.get());
    }
  }

  static final class Default extends DefaultSchedulerVerification implements Plain {}

  static final class Forming extends FormingVerification implements Plain {}

  static final class Merging extends MergingVerification implements Plain {}

  static final class Priority extends PriorityVerification implements Plain {}

  static final class Policies extends QueuePolicyVerification implements Plain {}

  static final class Ordering extends OrderingVerification implements Plain {}

  static final class Cancellation extends CancellationVerification implements Plain {}

  static final class Counting extends CountingVerification implements Plain {}

  private static Launched run(Class<?> verification, Defect defect) {
    return ScopedValue.where(DEFECT, defect).call(() -> Launched.run(verification));
  }

  @Test
  void aRightSchedulerPasses() {
    for (Class<?> verification : VERIFICATIONS) {
      Launched launched = run(verification, Defect.NONE);
      assertThat(launched.failures()).as(verification.getSimpleName()).isEmpty();
      assertThat(launched.passed()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Default, RUNS_THE_NEWEST_FIRST, runsRequestsOneByOneInTheOrderInWhichTheyCame",
    "Default, ASSIGNS_REQUESTS_TO_BUSY_INSTANCES, dispatchesTheNextRequestToAnIdleInstance",
    "Default, RUNS_PASSIVE_INSTANCES, opensAPassiveInstanceAndNeverRunsIt",
    "Default, ANSWERS_TWICE, runsRequestsOneByOneInTheOrderInWhichTheyCame",
    "Forming, TAKES_THE_SMALLEST_PREFERRED_SIZE, takesTheLargestPreferredSizeThatTheQueueReaches",
    "Forming, NEVER_WAITS, takesAPreferredSizeAtOnceAndLetsTheRestWaitForItsDelay",
    "Forming, EXCEEDS_PREFERRED_SIZES, endsABatchBeforeTheRequestThatExceedsTheLargestPreferredSize",
    "Forming, NEVER_LATE, takesAllThatFitsOnceTheOldestRequestIsLate",
    "Forming, TAKES_THE_SMALLEST_PREFERRED_SIZE, neverWaitsWithoutADelay",
    "Forming, WAITS_WITH_LARGE_REQUESTS, runsARequestAboveThePreferredSizesAtOnce",
    "Forming, NEVER_JOINS_REQUESTS, letsARequestJoinOneThatWaitsForAnInstance",
    "Merging, IGNORES_SHAPES, endsABatchBeforeARequestOfAnotherShape",
    "Merging, REJECTS_RAGGED_BATCHES, mergesRequestsOfAnyShapeWhereTheyMayBeRagged",
    "Merging, NEVER_JOINS_REQUESTS, mergesRequestsWhereTheModelLeavesNoShapeOpen",
    "Merging, STOPS_AT_A_ZERO, mergesRequestsWhoseShapeTensorsHaveTheSameValues",
    "Merging, IGNORES_INPUT_SETS, mergesRequestsThatBringTheSameInputs",
    "Merging, SEPARATES_BY_OUTPUTS, mergesRequestsThatWantDifferentOutputs",
    "Priority, PUTS_UNKNOWN_LEVELS_LAST, servesARequestWithAnUnknownPriorityAtTheDefaultLevel",
    "Priority, IGNORES_LEVELS, runsTheHighestLevelFirstAndEachInOrder",
    "Priority, IGNORES_LEVELS, mergesLevelsTheHighestFirst",
    "Policies, NEVER_REJECTS, rejectsRequestsBeyondTheQueueSize",
    "Policies, REJECTS_WHEN_IDLE_ONLY, rejectsARequestThatTimedOutWhileInstancesAreBusy",
    "Policies, DELAYS_NOTHING, runsADelayedRequestAfterTheOthers",
    "Policies, DELAYS_NOTHING, mergesADelayedRequestBehindTheOthers",
    "Policies, REJECTS_WHAT_IS_DELAYED, letsADelayedRequestWaitForItsQueueDelay",
    "Policies, ALLOWS_ANY_TIMEOUT, letsARequestShortenItsTimeoutOnly",
    "Policies, ALLOWS_ANY_TIMEOUT, ignoresARequestsTimeoutWhereTheModelHasNone",
    "Policies, ALLOWS_ANY_TIMEOUT, ignoresARequestsTimeoutWhereOverridesAreNotAllowed",
    "Policies, HAS_ONE_POLICY, holdsEachLevelToItsOwnPolicy",
    "Ordering, ANSWERS_OUT_OF_ORDER, keepsAnAnswerUntilTheOneBeforeHasLeft",
    "Ordering, ANSWERS_OUT_OF_ORDER, keepsTheOrderWhenARequestFails",
    "Ordering, ANSWERS_OUT_OF_ORDER, keepsTheOrderWhenARequestGetsNoResponse",
    "Ordering, REJECTS_IN_ORDER, failsARejectedRequestAtOnceAndDelaysNoOther",
    "Cancellation, RUNS_CANCELLED_REQUESTS, answersACancelledRequestAndNeverRunsIt",
    "Cancellation, RUNS_CANCELLED_REQUESTS, formsBatchesWithoutCancelledRequests",
    "Counting, COUNTS_REQUESTS_AS_ROWS, countsRowsAndBatchesBySize",
    "Counting, COUNTS_REJECTED_REQUESTS, countsNoRequestThatItRejected",
    "Counting, COUNTS_NO_REASONS, countsARequestThatTimedOutAsRejected",
    "Counting, COUNTS_NO_REASONS, countsARequestThatItsModelFails",
    "Counting, COUNTS_NO_REASONS, countsACancelledRequest"
  })
  void catches(String verification, Defect defect, String test) {
    Class<?> tested =
        VERIFICATIONS.stream()
            .filter(each -> each.getSimpleName().equals(verification))
            .findFirst()
            .orElseThrow();

    assertThat(run(tested, defect).failed()).contains(test);
  }
}
