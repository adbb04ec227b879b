package io.nereid.client.rest;

import io.nereid.client.CallContext;
import io.nereid.client.NereidException;
import java.net.http.HttpRequest;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that has not ended, or does so now. Any thread may ask of it, and end it. */
final class OpenCall {
  private final CallContext context;
  private final Supplier<String> asked;
  private final Consumer<Supplier<NereidException>> ending;
  private volatile @Nullable HttpRequest request;

  /**
   * A call that is not sent.
   *
   * @param asked what it asks for, and where
   * @param ending ends it with the failure that is made then, unless it has ended; does not wait,
   *     and runs nothing of the caller's
   */
  OpenCall(
      CallContext context, Supplier<String> asked, Consumer<Supplier<NereidException>> ending) {
    this.context = context;
    this.asked = asked;
    this.ending = ending;
  }

  CallContext context() {
    return context;
  }

  String asked() {
    return asked.get();
  }

  /** States the request, which is given to the HTTP client next. */
  void sending(HttpRequest given) {
    request = given;
  }

  /** Whether the server may know of it. */
  boolean isSent() {
    return TensorBody.isSent(request);
  }

  void end(Supplier<NereidException> why) {
    ending.accept(why);
  }

  /** Its failure once its deadline has passed. */
  NereidException late() {
    return context.late(asked(), isSent(), null);
  }

  /** Its failure if there is no response. */
  NereidException failure(Throwable thrown) {
    return Failures.of(thrown, asked(), Failures.isSent(request, thrown));
  }
}
