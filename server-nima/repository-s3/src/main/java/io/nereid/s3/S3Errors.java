package io.nereid.s3;

import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import java.io.StreamCorruptedException;
import java.util.Locale;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/** The SDK's exceptions as failures that the server understands. */
final class S3Errors {
  /** Codes of responses with other statuses than 5xx that ask for a repetition. */
  private static final Set<String> TRANSIENT = Set.of("RequestTimeout", "SlowDown", "Throttling");

  /** A longer text is cut: it goes to the log and to clients. */
  private static final int MAX_TEXT_LENGTH = 500;

  private S3Errors() {}

  /**
   * @param what failed, such as {@code cannot list s3://bucket/models}
   */
  static ObjectStoreException of(String what, SdkException failure) {
    if (failure instanceof AwsServiceException response) {
      return new ObjectStoreException(
          reason(response), "%s: %s".formatted(what, describe(response)), failure);
    }
    if (failure.getCause() instanceof IllegalArgumentException unreadable) { // or malformed numbers
      return unreadable(what, unreadable);
    }
    return new ObjectStoreException(
        reason(failure), "%s: %s".formatted(what, firstLine(failure)), failure);
  }

  /**
   * The failure of the SDK's readers at a response that is not what the protocol says, such as a
   * number with letters.
   *
   * @param what failed, such as {@code cannot list s3://bucket/models}
   */
  static ObjectStoreException unreadable(String what, RuntimeException failure) {
    return new ObjectStoreException(
        Reason.REJECTED,
        "%s: the response cannot be read: %s".formatted(what, firstLine(failure)),
        failure);
  }

  /** Foreign text for a message: of one line, and not long. */
  static String text(String foreign) {
    String line =
        foreign.codePoints().anyMatch(Character::isISOControl)
            ? foreign.replaceAll("\\p{Cntrl}", "?")
            : foreign;
    return line.length() <= MAX_TEXT_LENGTH ? line : line.substring(0, MAX_TEXT_LENGTH) + "…";
  }

  private static Reason reason(SdkException failure) {
    if (failure.getCause() instanceof StreamCorruptedException) {
      return Reason.REJECTED;
    }
    return lacksCredentials(failure) ? Reason.DENIED : Reason.UNAVAILABLE;
  }

  private static Reason reason(AwsServiceException response) {
    int status = response.statusCode();
    if (status >= 500
        || status == 408
        || status == 429
        || response.isThrottlingException()
        || TRANSIENT.contains(code(response))) {
      return Reason.UNAVAILABLE;
    }
    return switch (status) {
      case 401, 403 -> Reason.DENIED;
      case 404 -> Reason.NOT_FOUND;
      case 412, 416 -> Reason.CHANGED;
      default -> Reason.REJECTED;
    };
  }

  private static String code(AwsServiceException response) {
    AwsErrorDetails details = response.awsErrorDetails();
    return details == null || details.errorCode() == null ? "" : details.errorCode();
  }

  private static String describe(AwsServiceException response) {
    AwsErrorDetails details = response.awsErrorDetails();
    String message =
        details == null || details.errorMessage() == null
            ? firstLine(response)
            : text(details.errorMessage());
    return "%s (HTTP %d%s)"
        .formatted(
            message,
            response.statusCode(),
            code(response).isEmpty() ? "" : " " + text(code(response)));
  }

  /** The SDK has one exception for what fails before, during and after a request. */
  private static boolean lacksCredentials(SdkException failure) {
    return firstLine(failure).toLowerCase(Locale.ROOT).contains("credentials");
  }

  private static String firstLine(Throwable failure) {
    return text(String.valueOf(failure.getMessage()).lines().findFirst().orElse(""));
  }
}
