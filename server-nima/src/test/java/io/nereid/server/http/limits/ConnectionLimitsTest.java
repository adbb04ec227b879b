package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {
  @Test
  void aClientHasHalfOfAllConnectionsUnlessOthersAreStated() {
    assertThat(ConnectionLimits.DEFAULT.maxConnectionsPerClient())
        .isEqualTo(ConnectionLimits.DEFAULT.maxConnections() / 2);
    ConnectionLimits few = ConnectionLimits.DEFAULT.withMaxConnections(500, 7);
    assertThat(few.maxConnections()).isEqualTo(500);
    assertThat(few.maxConnectionsPerClient()).isEqualTo(7);
  }
}
