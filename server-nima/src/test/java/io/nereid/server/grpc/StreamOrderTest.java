package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamOrderTest {
  private final StreamOrder<String> order = new StreamOrder<>();

  private List<String> leaving() {
    List<String> leaving = new ArrayList<>();
    for (String answer = order.poll(); answer != null; answer = order.poll()) {
      leaving.add(answer);
    }
    return leaving;
  }

  @Test
  void anAnswerInTheLineWaitsForThoseBeforeIt() {
    var first = order.join();
    var second = order.join();
    var third = order.join();

    order.add(second, "2");
    assertThat(order.hasNext()).isFalse();
    order.add(first, "1");
    assertThat(leaving()).containsExactly("1", "2");
    order.add(third, "3");
    assertThat(leaving()).containsExactly("3");
  }

  @Test
  void answersBesideTheLineLeaveAsTheyCome() {
    var first = order.join();
    order.add("a");
    order.add("b");
    assertThat(leaving()).containsExactly("a", "b");

    order.add(first, "1");
    order.add("c");
    assertThat(leaving()).containsExactly("1", "c");
  }

  @Test
  void aPlaceTakesOneAnswer() {
    order.join();
    var second = order.join();
    order.add(second, "2");

    assertThatIllegalStateException().isThrownBy(() -> order.add(second, "2 again"));
  }

  @Test
  void aForgottenLineHandsOutWhatWaitedInIt() {
    order.add("ready");
    order.join();
    order.add(order.join(), "waiting");

    assertThat(order.clearLine()).containsExactly("waiting");
    assertThat(leaving()).containsExactly("ready");
    order.add(order.join(), "new");
    assertThat(leaving()).containsExactly("new");
  }
}
