package io.nereid.benchmarks.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.benchmarks.CommandLines;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class StreamBenchmarkTest {
  @Test
  void streamsToClientsOfWhichSomeLeave() {
    var out = new StringWriter();
    int status =
        CommandLines.of(new StreamBenchmark())
            .setOut(new PrintWriter(out))
            .execute("--clients=10", "--leave=0.2", "--tokens=200", "--step=5", "--rounds=1");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString().lines())
        .hasSize(3)
        .last()
        .asString()
        .matches(" +10 +\\d+( +\\d+\\.\\d+){6} +2 +\\d+\\.\\d+");
  }
}
