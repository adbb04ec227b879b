package io.nereid.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.codec.LongWork;
import org.junit.jupiter.api.Test;

class StatusWorkTest {
  @Test
  void aListOfManyEntriesIsLongWorkAndAShortOneIsNot() {
    assertThat(StatusWork.size(63)).isLessThan(LongWork.LEAST);
    assertThat(StatusWork.size(64)).isEqualTo(LongWork.LEAST);
    assertThat(StatusWork.size(Integer.MAX_VALUE)).isPositive();
  }
}
