package io.nereid.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.codec.LongWork;
import org.junit.jupiter.api.Test;

class HttpResponsesTest {
  @Test
  void aListOfManyEntriesIsLongWorkAndAShortOneIsNot() {
    assertThat(HttpResponses.listSize(63)).isLessThan(LongWork.LEAST);
    assertThat(HttpResponses.listSize(64)).isEqualTo(LongWork.LEAST);
    assertThat(HttpResponses.listSize(Integer.MAX_VALUE)).isPositive();
  }
}
