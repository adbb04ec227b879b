package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  @Test
  void connectionsAreAtMostHalfOfTheOpenFiles() {
    assertThat(ConnectionLimits.DEFAULT.withMaxConnections(500).maxConnections()).isEqualTo(500);
    assertThat(ConnectionLimits.DEFAULT.withMaxConnections(1_000_000))
        .isEqualTo(ConnectionLimits.DEFAULT);
  }
}
