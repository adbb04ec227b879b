package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The instances that a dynamic batcher wakes, and their batches. */
class WokenInstancesTest extends BatchingDriver {
  @Test
  void dispatchesToIdleInstancesOnly() {
    settings(1, 0, 1);
    instance(0);
    instance(1);
    arriveAll("a", "b", "c");
    assertThat(decide()).containsExactly("0: a", "1: b");
    policy.executed(1, 0, 0, actions);
    assertThat(decide()).containsExactly("1: c");
  }

  @Test
  void dispatchesNothingToARemovedInstance() {
    settings(1, 0, 1);
    instance(0);
    instance(1);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    policy.instanceRemoved(0, 0, actions);
    policy.instanceRemoved(1, 0, actions);
    assertThat(policy.isRemoved(0)).isFalse();
    assertThat(policy.isRemoved(1)).isTrue();
    arriveAll("b");
    assertThat(executed()).isEmpty();
    assertThat(policy.isRemoved(0)).isTrue();
    instance(1);
    assertThat(decide()).containsExactly("1: b");
  }

  @Test
  void aRequestThatArrivesBeforeTheWokenInstanceIsReadyJoins() {
    instance(0);
    arriveAll("a", "b");
    policy.decide(0, actions);
    assertThat(actions.taken()).isEmpty();
    arriveAll("c", "d", "e", "f");
    assertThat(decide()).containsExactly("0: a b c d e f");
  }

  @Test
  void wakesAnInstanceForEachBatchThatIsDue() {
    instance(0);
    instance(1);
    instance(2);
    arriveAll("a", "b", "c", "d", "e", "f", "g", "h", "i");
    assertThat(decide()).containsExactly("0: a b c d e f", "1: g h");
    assertThat(wakeMicros()).isEqualTo(DELAY);
  }

  @Test
  void wakesTheInstanceWithTheLeastExecutionsTimesPriority() {
    settings(1, 0, 1);
    policy.instanceAdded(0, 2, 0, actions);
    policy.instanceAdded(1, 1, 0, actions);
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      arriveAll("x");
      List<String> taken = decide();
      order.addAll(taken);
      policy.executed(taken.getFirst().charAt(0) - '0', 0, 0, actions);
    }
    assertThat(order).containsExactly("1: x", "0: x", "1: x", "1: x", "0: x", "1: x");
  }

  @Test
  void dispatchesToAnInstanceThatIsReadyAgainWhileItExecutes() {
    settings(1, 0, 1);
    instance(0);
    arriveAll("a", "b", "c", "d");
    assertThat(decide()).containsExactly("0: a");
    policy.ready(0, 0, actions);
    assertThat(decide()).containsExactly("0: b");
    assertThat(executed()).isEmpty(); // busy with b
    policy.ready(0, 0, actions);
    assertThat(decide()).containsExactly("0: c");
    assertThat(executed()).isEmpty();
    assertThat(executed()).containsExactly("0: d");
  }

  @Test
  void anInstanceThatExecutesIsIdleOnceItWasReadyForNothing() {
    settings(1, 0, 1);
    instance(0);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    policy.ready(0, 0, actions);
    assertThat(decide()).isEmpty();
    assertThat(actions.idled()).containsExactly(0);
    arriveAll("b");
    assertThat(decide()).containsExactly("0: b");
    assertThat(executed()).isEmpty();
    assertThat(executed()).isEmpty();
    arriveAll("c");
    assertThat(decide()).containsExactly("0: c");
  }

  @Test
  void wakesAnInstanceWithoutABatchBeforeOneThatExecutes() {
    settings(1, 0, 1);
    instance(0);
    instance(1);
    arriveAll("a");
    assertThat(decide()).containsExactly("0: a");
    policy.ready(0, 0, actions);
    assertThat(decide()).isEmpty();
    arriveAll("b");
    assertThat(decide()).containsExactly("1: b");
  }

  @Test
  void anInstanceIsRemovedOnceItHasExecutedAllItsBatches() {
    settings(1, 0, 1);
    instance(0);
    arriveAll("a", "b", "c");
    assertThat(decide()).containsExactly("0: a");
    policy.ready(0, 0, actions);
    assertThat(decide()).containsExactly("0: b");
    policy.instanceRemoved(0, 0, actions);
    assertThat(executed()).isEmpty();
    assertThat(policy.isRemoved(0)).isFalse();
    assertThat(executed()).isEmpty();
    assertThat(policy.isRemoved(0)).isTrue();
  }

  @Test
  void makesAReadyInstanceIdleThatIsRemoved() {
    instance(0);
    policy.ready(0, 0, actions);
    policy.instanceRemoved(0, 0, actions);
    assertThat(actions.idled()).containsExactly(0);
    policy.ready(0, 0, actions);
    assertThat(actions.idled()).containsExactly(0);
  }
}
