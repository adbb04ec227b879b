package io.nereid.engine.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResponseOrderTest {
  private final ResponseOrder order = new ResponseOrder();
  private final List<String> left = Collections.synchronizedList(new ArrayList<>());

  /** Records its calls. */
  private record Named(String name, List<String> left) implements ResponseReceiver {
    @Override
    public void next(InferenceResponse response) {
      left.add(name + " next");
    }

    @Override
    public void answer(InferenceResponse response) {
      left.add(name);
    }

    @Override
    public void complete() {
      left.add(name + " complete");
    }

    @Override
    public void fail(InferenceException failure) {
      left.add(name + " " + failure.code());
    }

    @Override
    public void reject(InferenceException reason) {
      left.add(name + " rejected");
    }
  }

  private record Entered(ResponsePromise promise) {
    void answer() {
      promise.answer(response());
    }

    void next() {
      promise.next(response());
    }
  }

  private static InferenceResponse response() {
    return new InferenceResponse(new ModelKey("m", 1), "", Map.of(), List.of(), List.of());
  }

  private Entered enter(String name) {
    var promise = new ResponsePromise(new Named(name, left));
    order.enter(promise);
    return new Entered(promise);
  }

  @Test
  void responsesLeaveInTheOrderOfTheirRequests() {
    Entered a = enter("a");
    Entered b = enter("b");
    Entered c = enter("c");
    c.answer();
    b.promise().fail(InferenceException.internal("bad"));
    assertThat(left).isEmpty();
    a.answer();
    assertThat(left).containsExactly("a", "b INTERNAL", "c");
  }

  @Test
  void allResponsesOfARequestPrecedeThoseOfTheNext() {
    Entered a = enter("a");
    Entered b = enter("b");
    b.next();
    a.next();
    b.answer();
    assertThat(left).containsExactly("a next");
    a.promise().complete();
    assertThat(left).containsExactly("a next", "a complete", "b next", "b");
  }

  @Test
  void aRequestThatLeavesGetsItsOutcomeAtOnceAndDelaysNoOther() {
    Entered a = enter("a");
    Entered b = enter("b");
    Entered c = enter("c");
    ResponseOrder.leave(b.promise());
    b.promise().fail(InferenceException.unavailable("late"));
    assertThat(left).containsExactly("b UNAVAILABLE");
    ResponseOrder.leave(a.promise());
    c.answer();
    a.answer();
    assertThat(left).containsExactly("b UNAVAILABLE", "c", "a");
  }

  @Test
  void aCancelledRequestDelaysNoOther() {
    Entered a = enter("a");
    Entered b = enter("b");
    b.answer();
    a.promise().cancel();
    assertThat(left).containsExactlyInAnyOrder("a CANCELLED", "b");
    enter("c").answer();
    assertThat(left).endsWith("c");
  }

  @Test
  void aCancelledRequestGetsItsOutcomeAtOnce() {
    Entered a = enter("a");
    Entered b = enter("b");
    b.promise().cancel();
    assertThat(left).containsExactly("b CANCELLED");
    a.answer();
    assertThat(left).containsExactly("b CANCELLED", "a");
  }

  @Test
  void passesOnARejectionAsSuch() {
    Entered a = enter("a");
    a.promise().reject(InferenceException.unavailable("full"));
    assertThat(left).containsExactly("a rejected");
  }

  @Test
  void aRequestThatWasCancelledBeforeGetsNoPlace() {
    var promise = new ResponsePromise(new Named("a", left));
    promise.cancel();
    order.enter(promise);
    enter("b").answer();
    assertThat(left).containsExactly("a CANCELLED", "b");
  }

  @Test
  void keepsTheOrderWhicheverThreadResponds() throws InterruptedException {
    int requests = 10_000;
    List<Entered> entered =
        IntStream.range(0, requests).mapToObj(i -> enter(Integer.toString(i))).toList();
    List<Thread> threads =
        IntStream.range(0, 4)
            .mapToObj(thread ->
                Thread.ofPlatform()
                    .start(() -> {
                      for (int i = thread; i < requests; i += 4) {
                        entered.get(i).answer();
                      }
                    }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(left)
        .containsExactlyElementsOf(
            IntStream.range(0, requests).mapToObj(Integer::toString).toList());
  }
}
