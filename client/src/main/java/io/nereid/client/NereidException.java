package io.nereid.client;

import java.io.Serial;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one exception of all calls: what was asked, what the server said, and a code. What the
 * program itself does wrong, as to ask a response for an output that it does not have, is an {@link
 * IllegalArgumentException} or an {@link IllegalStateException}.
 *
 * <p>Its message has all three, such as {@code infer of model 'digit' at http://localhost:8000:
 * Request for unknown model: 'digit' is not found (NOT_FOUND)}.
 */
public final class NereidException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final ErrorCode code;
  private final String sentence;
  private final String asked;
  private final boolean mayHaveRun;
  private final @Nullable Duration retryAfter;

  /**
   * A failure of a call, for transports.
   *
   * @param asked what the caller asked for, and where
   * @param sentence the server's, or the transport's
   * @param mayHaveRun whether the server may have executed the request
   * @param retryAfter when the server wants to be asked again
   */
  public NereidException(
      ErrorCode code,
      String asked,
      String sentence,
      boolean mayHaveRun,
      @Nullable Duration retryAfter,
      @Nullable Throwable cause) {
    super("%s: %s (%s)".formatted(asked, sentence, code), cause);
    this.code = code;
    this.sentence = sentence;
    this.asked = asked;
    this.mayHaveRun = mayHaveRun;
    this.retryAfter = retryAfter;
  }

  /** An answer that cannot be read; the request has been executed, as far as one can tell. */
  public static NereidException badResponse(
      String asked, String sentence, @Nullable Throwable cause) {
    return new NereidException(ErrorCode.BAD_RESPONSE, asked, sentence, true, null, cause);
  }

  /** A call that this transport does not have. */
  public static NereidException unimplemented(String asked, String sentence) {
    return new NereidException(ErrorCode.UNIMPLEMENTED, asked, sentence, false, null, null);
  }

  /** The same failure with the stack of the thread that waited for it. */
  NereidException here() {
    return new NereidException(code, asked, sentence, mayHaveRun, retryAfter, getCause());
  }

  /** The same failure of a call that an earlier attempt may have had executed. */
  NereidException afterOneThatMayHaveRun() {
    return mayHaveRun
        ? this
        : new NereidException(code, asked, sentence, true, retryAfter, getCause());
  }

  public ErrorCode code() {
    return code;
  }

  /** What the server said, in its words; if it said nothing, what the transport saw. */
  public String sentence() {
    return sentence;
  }

  /** What the caller asked for, and where. */
  public String asked() {
    return asked;
  }

  /**
   * Whether the server may have executed the request, by any of the call's attempts; if not, it did
   * not. False if nothing was sent; if the server wants to be asked again ({@code Retry-After},
   * {@code grpc-retry-pushback-ms}) or does not let the caller in; and for the sentences with which
   * servers of the protocol refuse what they have not begun, such as of a full queue, a stop or an
   * unknown model. Other failures of inferences may be a model's own, whatever their code: a model
   * in Java may call others and then say INVALID_ARGUMENT.
   */
  public boolean mayHaveRun() {
    return mayHaveRun;
  }

  /** When the server wants to be asked again, if it said so. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
