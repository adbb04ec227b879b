package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import org.junit.jupiter.api.Test;

class CallCountTest {
  private static final ClientKey CLIENT = new ClientKey("client");
  private static final ClientKey OTHER = new ClientKey("other");

  private final CallCount calls = new CallCount(8);
  private final CallCount.OfConnection first = calls.of(CLIENT, "first");
  private final CallCount.OfConnection second = calls.of(CLIENT, "second");
  private final CallCount.OfConnection other = calls.of(OTHER, "second");

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
    assertThat(first.isOne()).isTrue();

    add(calls.of(OTHER, "first"), 1);
    assertThat(first.isOne()).isFalse();
    assertThat(second.isOne()).isFalse();
  }

  @Test
  void aClientAloneMayHaveHalfOfTheCalls() {
    add(first, 4);
    assertThat(first.excess()).isNull();

    add(first, 1);
    assertThat(first.excess()).isEqualTo(Excess.OF_CLIENT);
  }

  @Test
  void aClientMayHaveAsManyCallsOfAllEventLoopsAsAreFreeForOthers() {
    add(first, 3);
    add(other, 1);
    assertThat(first.excess()).isNull();

    add(second, 1);
    assertThat(second.excess()).isEqualTo(Excess.OF_CLIENT);
    assertThat(other.excess()).isNull();
  }

  @Test
  void theLimitIsThatOfTheSum() {
    add(first, 4);
    add(other, 5);

    assertThat(first.excess()).isEqualTo(Excess.OF_ALL);
    assertThat(calls.of(new ClientKey("third"), "first").excess()).isEqualTo(Excess.OF_ALL);
  }

  @Test
  void callsThatEndMakeRoomForOthers() {
    add(first, 5);
    first.remove();

    assertThat(first.excess()).isNull();
  }

  @Test
  void theOnlyCallOfAClientIsWithinItsShareOfASingleCall() {
    CallCount.OfConnection only = new CallCount(1).of(CLIENT, "first");
    add(only, 1);

    assertThat(only.excess()).isNull();
  }

  private static void add(CallCount.OfConnection connection, int count) {
    for (int i = 0; i < count; i++) {
      connection.add();
    }
  }
}
