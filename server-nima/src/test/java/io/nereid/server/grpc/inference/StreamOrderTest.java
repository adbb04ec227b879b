package io.nereid.server.grpc.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamOrderTest {
  private final StreamOrder<String> order = new StreamOrder<>();

  private List<String> sent() {
    List<String> sent = new ArrayList<>();
    for (String message = order.poll(); message != null; message = order.poll()) {
      sent.add(message);
    }
    return sent;
  }

  @Test
  void aMessageInItsPlaceWaitsForThoseBeforeIt() {
    var first = order.reserve();
    var second = order.reserve();
    var third = order.reserve();

    order.add(second, "2");
    assertThat(order.hasNext()).isFalse();
    order.add(first, "1");
    assertThat(sent()).containsExactly("1", "2");
    order.add(third, "3");
    assertThat(sent()).containsExactly("3");
  }

  @Test
  void messagesWithoutAPlaceDoNotWait() {
    var first = order.reserve();
    order.add("a");
    order.add("b");
    assertThat(sent()).containsExactly("a", "b");

    order.add(first, "1");
    order.add("c");
    assertThat(sent()).containsExactly("1", "c");
  }

  @Test
  void rejectsASecondMessageForAPlace() {
    order.reserve();
    var second = order.reserve();
    order.add(second, "2");

    assertThatIllegalStateException().isThrownBy(() -> order.add(second, "2 again"));
  }

  @Test
  void clearedPlacesReturnTheirMessages() {
    order.add("ready");
    order.reserve();
    order.add(order.reserve(), "waiting");

    assertThat(order.clearPlaces()).containsExactly("waiting");
    assertThat(sent()).containsExactly("ready");
    order.add(order.reserve(), "new");
    assertThat(sent()).containsExactly("new");
  }
}
