package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CallCountTest {
  private final CallCount calls = new CallCount(4, 2);
  private final CallCount.OfLoop first = calls.of("first");
  private final CallCount.OfLoop second = calls.of("second");

  @Test
  void theCallsOfAllEventLoopsAreCounted() {
    add(first, 3);
    add(second, 2);
    second.remove();

    assertThat(calls.get()).isEqualTo(4);
  }

  @Test
  void connectionsOfAnEventLoopShareItsCount() {
    add(first, 1);
    add(calls.of("first"), 1);

    assertThat(calls.get()).isEqualTo(2);
  }

  @Test
  void oneEventLoopMayHaveAllCalls() {
    add(first, 4);

    assertThat(first.isExceeded()).isFalse();
    add(first, 1);
    assertThat(first.isExceeded()).isTrue();
  }

  @Test
  void theLimitIsThatOfTheSum() {
    add(first, 2);
    add(second, 3);

    assertThat(first.isExceeded()).isTrue();
    assertThat(second.isExceeded()).isTrue();
  }

  @Test
  void callsThatEndMakeRoomForOthers() {
    add(first, 2);
    add(second, 3);
    second.remove();

    assertThat(first.isExceeded()).isFalse();
    assertThat(second.isExceeded()).isFalse();
  }

  private static void add(CallCount.OfLoop loop, int count) {
    for (int i = 0; i < count; i++) {
      loop.add();
    }
  }
}
