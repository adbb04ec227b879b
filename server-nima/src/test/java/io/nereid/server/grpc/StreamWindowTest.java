package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamWindowTest {
  private final StreamWindow window = new StreamWindow();

  @Test
  void closesAtItsLimitOfMessagesBeTheyRequestsOrAnswers() {
    for (int i = 1; i < StreamWindow.MAX_MESSAGES; i++) {
      window.addRequest(0);
    }
    assertThat(window.isOpen()).isTrue();
    window.addRequest(0);
    assertThat(window.isOpen()).isFalse();

    window.removeRequest(0);
    window.addAnswer(0);
    assertThat(window.isOpen()).isFalse();
    window.removeAnswer(0);
    assertThat(window.isOpen()).isTrue();
  }

  @Test
  void closesAtItsLimitOfBytesBeTheyInputsOrAnswers() {
    window.addRequest(StreamWindow.MAX_BYTES - 1);
    assertThat(window.isOpen()).isTrue();
    window.addAnswer(0);
    assertThat(window.isOpen()).as("an answer costs more than its bytes").isFalse();

    window.removeAnswer(0);
    window.removeRequest(StreamWindow.MAX_BYTES - 1);
    window.addRequest(2 * StreamWindow.MAX_BYTES);
    assertThat(window.isOpen()).isFalse();
    window.removeRequest(2 * StreamWindow.MAX_BYTES);
    assertThat(window.isOpen()).isTrue();
  }

  @Test
  void isFullOfUnreadAnswersOnly() {
    window.addRequest(StreamWindow.MAX_UNREAD_BYTES);
    assertThat(window.isFull()).isFalse();

    window.addAnswer(StreamWindow.MAX_UNREAD_BYTES - StreamWindow.OVERHEAD - 1);
    assertThat(window.isFull()).isFalse();
    window.addAnswer(0);
    assertThat(window.isFull()).isTrue();
    window.removeAnswer(0);
    assertThat(window.isFull()).isFalse();
  }
}
