package io.nereid.server.metrics.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpositionFormatTest {
  private static final String PROTOBUF =
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";

  @Test
  void withoutAPreferenceAPageIsText() {
    assertThat(ExpositionFormat.of(Optional.empty())).isEqualTo(ExpositionFormat.TEXT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/* | TEXT",
        "text/plain | TEXT",
        "P | PROTOBUF",
        "P;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3,*/*;q=0.2 | PROTOBUF",
        "application/openmetrics-text;version=1.0.0;q=0.5,P;q=0.4,text/plain;version=0.0.4;q=0.3 | PROTOBUF",
        "text/plain;q=0.7, P;q=0.6 | TEXT",
        "application/vnd.google.protobuf | TEXT",
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text | TEXT",
        "P;q=none | TEXT",
        ";;, | TEXT",
      })
  void protobufIsForClientsThatPreferIt(String accept, ExpositionFormat format) {
    assertThat(ExpositionFormat.of(Optional.of(accept.replace("P", PROTOBUF)))).isEqualTo(format);
  }
}
