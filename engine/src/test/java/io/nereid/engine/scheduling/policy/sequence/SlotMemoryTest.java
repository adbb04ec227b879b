package io.nereid.engine.scheduling.policy.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.FuzzedMemory;
import org.junit.jupiter.api.Test;

/** The memory of the sequence batcher follows its sequences, and not the maximum batch size. */
class SlotMemoryTest {
  private static final int MANY = Integer.MAX_VALUE;

  @Test
  void anInstanceOfADirectModelTakesLittleUntilItHasSequences() {
    FuzzedMemory.run(
        new byte[0],
        _ -> {
          SequencesDriver play = SequencesDriver.direct(MANY);
          play.startAll("A0", "B0");
          assertThat(play.run()).containsExactly("0: A0 B0");
        });
  }

  @Test
  void anInstanceOfAnOldestModelTakesLittleUntilItHasSequences() {
    FuzzedMemory.run(
        new byte[0],
        _ -> {
          SequencesDriver play = SequencesDriver.oldest(MANY, MANY, 0, MANY);
          play.startAll("A0", "B0");
          assertThat(play.run()).containsExactly("0: A0 B0");
        });
  }

  @Test
  void aBatchGrowsWithItsSequences() {
    SequencesDriver play = SequencesDriver.direct(MANY, 0, 0);
    play.run();
    for (char name = 'A'; name <= 'Z'; name++) {
      play.start(name + "0");
    }

    assertThat(play.decide())
        .containsExactly(
            "0: A0 B0 C0 D0 E0 F0 G0 H0 I0 J0 K0 L0 M0 N0 O0 P0 Q0 R0 S0 T0 U0 V0 W0 X0 Y0 Z0");
  }

  @Test
  void theLowestFreeSlotOfAllInstancesIsAssignedFirst() {
    SequencesDriver play = SequencesDriver.direct(MANY);
    play.instance(0);
    play.instance(1);
    play.startAll("A0", "B0", "C0");

    assertThat(play.decide()).containsExactly("0: A0 C0", "1: B0");
  }
}
