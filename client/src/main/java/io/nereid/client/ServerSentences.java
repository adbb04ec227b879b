package io.nereid.client;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What the sentences of servers of the protocol say beside their codes: which failure it is, where
 * the code is another by transport and by call, and whether the request was refused. For
 * transports.
 */
public final class ServerSentences {
  /** How the sentences end with which servers of the protocol refuse what they have not begun. */
  private static final List<String> ENDS =
      List.of(
          "Exceeds maximum queue size",
          "Request timeout expired", // in the queue
          "has stopped accepting new requests.",
          "has stopped accepting new inference requests",
          "the server stops, and the request has not come whole");

  private static final String UNKNOWN_MODEL = "Request for unknown model: '";

  /** Of a request whose statistics are asked for, or of a version. */
  private static final Pattern NOT_AVAILABLE =
      Pattern.compile("requested model (.*is not available|version is not available for .*)");

  private ServerSentences() {}

  /**
   * The code of a failure, whatever the transport and the call.
   *
   * @param stated what the status says
   * @param sentence the server's
   */
  public static ErrorCode code(ErrorCode stated, String sentence) {
    return switch (stated) {
      case INVALID_ARGUMENT -> {
        if (sentence.endsWith(" already in manager")) {
          yield ErrorCode.ALREADY_EXISTS; // 400 over REST
        }
        yield NOT_AVAILABLE.matcher(sentence).matches() ? ErrorCode.NOT_FOUND : stated;
      }
      case INTERNAL -> {
        if (sentence.endsWith(": no repository contains it")) {
          yield ErrorCode.NOT_FOUND;
        }
        yield sentence.contains("attempt to access JSON ") ? ErrorCode.INVALID_ARGUMENT : stated;
      }
      case UNKNOWN -> { // a stream of gRPC has no codes for what it refuses
        if (!sentence.startsWith(UNKNOWN_MODEL)) {
          yield stated;
        }
        yield sentence.endsWith(" is not found") ? ErrorCode.NOT_FOUND : ErrorCode.UNAVAILABLE;
      }
      default -> stated;
    };
  }

  /**
   * Whether an answer says that nothing was executed. Of an inference, a code alone does not, since
   * a model may fail with any of them, after it has called others; what does is that the server
   * wants to be asked again, that it does not let the caller in, and the sentences that servers of
   * the protocol have for requests that they do not begin. A model that passes on such an answer to
   * a call of its own is believed, too.
   *
   * @param sentence the server's
   * @param isInvited whether the server says when it wants to be asked again
   * @param asked what was asked for, such as {@code infer of model 'digit' at ...}
   */
  public static boolean isRefusal(
      ErrorCode code, String sentence, boolean isInvited, String asked) {
    return switch (code) {
      case UNAUTHENTICATED, PERMISSION_DENIED -> true;
      case RESOURCE_EXHAUSTED -> isInvited;
      case UNAVAILABLE -> isInvited || isKnown(sentence) || isUnknownModel(sentence, asked);
      case NOT_FOUND -> isUnknownModel(sentence, asked) || !runsModel(asked);
      case INVALID_ARGUMENT, ALREADY_EXISTS, UNIMPLEMENTED -> !runsModel(asked);
      default -> false;
    };
  }

  private static boolean runsModel(String asked) {
    return asked.startsWith("infer ") || asked.startsWith("generate ");
  }

  /** A step of an ensemble is refused after those before it have run. */
  private static boolean isKnown(String sentence) {
    return !sentence.startsWith("in ensemble ") && ENDS.stream().anyMatch(sentence::endsWith);
  }

  /** The model that was asked for, not one that it has called. */
  private static boolean isUnknownModel(String sentence, String asked) {
    int end = sentence.indexOf('\'', UNKNOWN_MODEL.length());
    return sentence.startsWith(UNKNOWN_MODEL)
        && end > 0
        && asked.contains(" of model '" + sentence.substring(UNKNOWN_MODEL.length(), end) + "'");
  }
}
