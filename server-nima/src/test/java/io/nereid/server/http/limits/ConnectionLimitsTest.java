package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  @Test
  void connectionsAreAtMostHalfOfTheOpenFiles() {
    assertThat(ConnectionLimits.DEFAULT.within(1_000).maxConnections()).isEqualTo(500);
    assertThat(ConnectionLimits.DEFAULT.within(1_000_000)).isEqualTo(ConnectionLimits.DEFAULT);
  }
}
