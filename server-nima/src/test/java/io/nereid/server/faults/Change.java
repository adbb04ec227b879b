package io.nereid.server.faults;

import java.util.regex.Pattern;

/**
 * What a proxy does to a call that has the fault, written as in the table:
 *
 * <pre>
 * request s/regex/replacement/   the request is another; any character may stand for the slash.
 *                                Its Content-Length is that of the new body
 * answer s/regex/replacement/    the body of the answer, or of gRPC each message and the text of a
 *                                failure, is another
 * status 400 500                 a status is another, of gRPC by the names of codes
 * header Name: value             a header of the answer; of gRPC one of the request
 * header -Name                   it is missing
 * reply 200 text                 this is the answer, and the server is not asked; of gRPC a message
 *                                in text format, without a status
 * close                          the connection ends in place of an answer
 * cut 10                         so many bytes are missing at the end, then the connection ends
 * length 10                      Content-Length says so many bytes more than there are
 * twice                          the request is executed twice; of gRPC each message comes twice
 * swap                           the answer comes behind the next one
 * stale                          the answer is the first one to an equal request
 * drop 2                         that message of the answer is missing (gRPC)
 * end 2                          the call ends well after so many messages (gRPC)
 * deaf                           that the client has cancelled is not noticed (gRPC)
 * none                           all is as it should be
 * </pre>
 */
sealed interface Change {
  /** No change. */
  Change NONE = Conduct.NONE;

  /** Replaces each match of a pattern. */
  record Substitution(Pattern pattern, String replacement) {
    static Substitution parse(String text) {
      String[] parts = text.split(Pattern.quote(text.substring(1, 2)), -1);
      if (parts.length != 4 || !parts[0].equals("s") || !parts[3].isEmpty()) {
        throw new IllegalArgumentException("s/regex/replacement/ expected: " + text);
      }
      return new Substitution(Fault.pattern(parts[1]), parts[2]);
    }

    String apply(String text) {
      return pattern.matcher(text).replaceAll(replacement);
    }
  }

  record Request(Substitution text) implements Change {}

  record Answer(Substitution text) implements Change {}

  record Status(String from, String to) implements Change {}

  /** {@code value}: empty if the header is missing. */
  record Header(String name, String value) implements Change {}

  record Reply(String text) implements Change {}

  record Cut(int bytes) implements Change {}

  record Length(int more) implements Change {}

  /** {@code number}: the first is 1. */
  record Drop(int number) implements Change {}

  record End(int count) implements Change {}

  /** Changes without an argument. */
  enum Conduct implements Change {
    CLOSE,
    TWICE,
    SWAP,
    STALE,
    DEAF,
    NONE
  }

  static Change parse(String text) {
    int space = text.indexOf(' ');
    String verb = space < 0 ? text : text.substring(0, space);
    String rest = space < 0 ? "" : text.substring(space + 1);
    return switch (verb) {
      case "request" -> new Request(Substitution.parse(rest));
      case "answer" -> new Answer(Substitution.parse(rest));
      case "status" -> new Status(rest.split(" ", 2)[0], rest.split(" ", 2)[1]);
      case "header" -> header(rest);
      case "reply" -> new Reply(rest);
      case "cut" -> new Cut(Integer.parseInt(rest));
      case "length" -> new Length(Integer.parseInt(rest));
      case "drop" -> new Drop(Integer.parseInt(rest));
      case "end" -> new End(Integer.parseInt(rest));
      case "close" -> Conduct.CLOSE;
      case "twice" -> Conduct.TWICE;
      case "swap" -> Conduct.SWAP;
      case "stale" -> Conduct.STALE;
      case "deaf" -> Conduct.DEAF;
      case "none" -> Conduct.NONE;
      default -> throw new IllegalArgumentException("no change is called so: " + text);
    };
  }

  private static Header header(String text) {
    if (text.startsWith("-")) {
      return new Header(text.substring(1), "");
    }
    String[] parts = text.split(": ", 2);
    return new Header(parts[0], parts[1]);
  }
}
