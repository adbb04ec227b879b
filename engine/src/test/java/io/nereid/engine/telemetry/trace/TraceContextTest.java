package io.nereid.engine.telemetry.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.trace.TraceContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contexts of clients. Source: W3C, Trace Context, section 3.2. */
class TraceContextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later-versions-may-add"
      })
  void aParentOfThisVersionOrALaterOneIsValid(String parent) {
    assertThat(TraceContext.parse(parent, "a=b")).contains(new TraceContext(parent, "a=b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01later"
      })
  void whatIsNoParentIsIgnored(String parent) {
    assertThat(TraceContext.parse(parent, "")).isEmpty();
  }

  @Test
  void theStateNeedNotBeValid() {
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    assertThat(TraceContext.parse(parent, "")).contains(new TraceContext(parent, ""));
  }
}
