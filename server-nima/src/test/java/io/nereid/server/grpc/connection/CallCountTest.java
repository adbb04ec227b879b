package io.nereid.server.grpc.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.grpc.connection.CallCount.Excess;
import org.junit.jupiter.api.Test;

class CallCountTest {
  private final CallCount calls = new CallCount(8, 2);
  private final CallCount.OfClient client = new CallCount.OfClient();
  private final CallCount.OfClient other = new CallCount.OfClient();
  private final CallCount.OfLoop first = calls.of("first");
  private final CallCount.OfLoop second = calls.of("second");

  @Test
  void theCallsOfAllEventLoopsAreCounted() {
    add(first, client, 3);
    add(second, other, 2);
    second.remove(other.of(second));

    assertThat(calls.get()).isEqualTo(4);
    assertThat(client.get()).isEqualTo(3);
    assertThat(other.get()).isEqualTo(1);
  }

  @Test
  void connectionsOfAnEventLoopShareItsCount() {
    add(first, client, 1);
    add(calls.of("first"), client, 1);

    assertThat(calls.get()).isEqualTo(2);
    assertThat(client.get()).isEqualTo(2);
  }

  @Test
  void aClientAloneMayHaveHalfOfTheCalls() {
    add(first, client, 4);
    assertThat(first.excess(client)).isNull();

    add(first, client, 1);
    assertThat(first.excess(client)).isEqualTo(Excess.OF_CLIENT);
  }

  @Test
  void aClientMayHaveAsManyCallsOfAllEventLoopsAsAreFreeForOthers() {
    add(first, client, 3);
    add(second, other, 1);
    assertThat(first.excess(client)).isNull();

    add(second, client, 1);
    assertThat(second.excess(client)).isEqualTo(Excess.OF_CLIENT);
    assertThat(second.excess(other)).isNull();
  }

  @Test
  void theLimitIsThatOfTheSum() {
    add(first, client, 4);
    add(second, other, 5);

    assertThat(first.excess(client)).isEqualTo(Excess.OF_SERVER);
    assertThat(second.excess(new CallCount.OfClient())).isEqualTo(Excess.OF_SERVER);
  }

  @Test
  void callsThatEndMakeRoomForOthers() {
    add(first, client, 5);
    first.remove(client.of(first));

    assertThat(first.excess(client)).isNull();
  }

  @Test
  void theOnlyCallOfAClientIsWithinItsShareOfASingleCall() {
    var one = new CallCount(1, 2);
    CallCount.OfLoop loop = one.of("first");
    add(loop, client, 1);

    assertThat(loop.excess(client)).isNull();
  }

  private static void add(CallCount.OfLoop loop, CallCount.OfClient client, int count) {
    for (int i = 0; i < count; i++) {
      loop.add(client.of(loop));
    }
  }
}
