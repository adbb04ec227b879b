package io.nereid.server.grpc.inference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamWindowTest {
  private final StreamWindow window = new StreamWindow();

  @Test
  void closesAtItsLimitOfRequestsAndMessages() {
    for (int i = 1; i < StreamWindow.MAX_MESSAGES; i++) {
      window.addRequest(0);
    }
    assertThat(window.isOpen()).isTrue();
    window.addRequest(0);
    assertThat(window.isOpen()).isFalse();

    window.removeRequest(0);
    window.addMessage(0);
    assertThat(window.isOpen()).isFalse();
    window.removeMessage(0);
    assertThat(window.isOpen()).isTrue();
  }

  @Test
  void closesAtItsLimitOfInputAndMessageBytes() {
    window.addRequest(StreamWindow.MAX_BYTES - 1);
    assertThat(window.isOpen()).isTrue();
    window.addMessage(0);
    assertThat(window.isOpen()).as("a message costs more than its bytes").isFalse();

    window.removeMessage(0);
    window.removeRequest(StreamWindow.MAX_BYTES - 1);
    window.addRequest(2 * StreamWindow.MAX_BYTES);
    assertThat(window.isOpen()).isFalse();
    window.removeRequest(2 * StreamWindow.MAX_BYTES);
    assertThat(window.isOpen()).isTrue();
  }

  @Test
  void isFullOfUnreadMessagesOnly() {
    window.addRequest(StreamWindow.MAX_UNREAD_BYTES);
    assertThat(window.isFull()).isFalse();

    window.addMessage(StreamWindow.MAX_UNREAD_BYTES - StreamWindow.OVERHEAD - 1);
    assertThat(window.isFull()).isFalse();
    window.addMessage(0);
    assertThat(window.isFull()).isTrue();
    window.removeMessage(0);
    assertThat(window.isFull()).isFalse();
  }
}
