package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Requests that two readers may end at different bytes, the means of request smuggling, and legal
 * ones that look like them (RFC 9110 and RFC 9112). What is illegal must be refused and the
 * connection closed.
 */
public final class AmbiguousRequests implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final int OK = 200;
  private static final int BAD = 400;
  private static final String CHUNKED = "Transfer-Encoding: chunked";

  /** A request, and whether it is legal. */
  private record Case(String name, String bytes, boolean legal) {}

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    List<Callable<String>> tasks = new ArrayList<>();
    List<Case> cases = cases();
    cases.forEach(next -> tasks.add(() -> failure(scene, next)));
    var failures = Crowd.inParallel(tasks).stream().filter(text -> !text.isEmpty()).toList();
    return new AttackOutcome(
        "%d of %d as RFC 9112 says".formatted(cases.size() - failures.size(), cases.size()),
        failures);
  }

  /** What is wrong with the answer; empty if nothing is. */
  private static String failure(Scene scene, Case sent) {
    try (var connection = RawConnection.open(scene.target().http())) {
      connection.send(sent.bytes());
      int status;
      try {
        status = connection.receive(TIMEOUT).status();
      } catch (SocketTimeoutException _) {
        return sent.name() + ": no answer";
      } catch (IOException _) {
        return sent.legal() ? sent.name() + ": the connection is closed" : "";
      }
      if (sent.legal()) {
        return status == OK ? "" : sent.name() + ": " + status;
      }
      if (status < BAD) {
        return sent.name() + ": accepted with " + status;
      }
      return connection.isClosedWithin(CLOSE) ? "" : sent.name() + ": the connection stays open";
    } catch (IOException e) {
      return sent.name() + ": " + e.getMessage();
    }
  }

  private static List<Case> cases() {
    String whole = new String(Requests.simple("simple"), StandardCharsets.ISO_8859_1);
    String body = whole.substring(whole.indexOf("\r\n\r\n") + 4);
    int length = body.length();
    String size = Integer.toHexString(length);
    String contentLength = "Content-Length: " + length;
    String chunk = size + "\r\n" + body + "\r\n";
    String last = "0\r\n\r\n";
    List<Case> cases =
        new ArrayList<>(
            List.of(
                legal("a length", head(contentLength) + body),
                legal("chunks", head(CHUNKED) + chunk + last),
                legal(
                    "a chunk extension",
                    head(CHUNKED) + size + ";a=b;c=\"d\"\r\n" + body + "\r\n" + last),
                legal("an extension of the last chunk", head(CHUNKED) + chunk + "0;a\r\n\r\n"),
                legal("a trailer", head(CHUNKED) + chunk + "0\r\nX-Sum: 1\r\n\r\n"),
                legal("a size with zeros in front", head(CHUNKED) + "000" + chunk + last),
                legal("Chunked in upper case", head("Transfer-Encoding: CHUNKED") + chunk + last),
                legal("an empty line before the request", "\r\n" + head(contentLength) + body),
                legal(
                    "a target in absolute form",
                    head(contentLength).replace("POST /", "POST http://localhost/") + body),
                legal("an expectation", head(contentLength, "Expect: 100-continue") + body),
                illegal("a length and chunks", head(contentLength, CHUNKED) + chunk + last),
                illegal("chunks and a length", head(CHUNKED, "Content-Length: 4") + chunk + last),
                illegal("two lengths", head(contentLength, "Content-Length: 4") + body),
                illegal("a list of two lengths", head(contentLength + ", 4") + body),
                illegal("chunks twice", head(CHUNKED, CHUNKED) + chunk + last),
                illegal(
                    "a space before the colon", head("Transfer-Encoding : chunked") + chunk + last),
                illegal("a folded line", head(contentLength, "X-A: b\r\n c: d") + body),
                illegal(
                    "a first line that is folded",
                    head(contentLength).replace("Host:", " Host:") + body),
                illegal("a NUL in a value", head(contentLength, "X-A: b\0c") + body),
                illegal("a CR in a value", head(contentLength, "X-A: b\rc") + body),
                illegal("a NUL in a name", head(contentLength, "X\0A: b") + body),
                illegal("a space in a name", head(contentLength, "X A: b") + body),
                illegal("no name", head(contentLength, ": b") + body),
                illegal("no colon", head(contentLength, "X-A") + body),
                illegal("no Host", head(contentLength).replace("Host: localhost\r\n", "") + body),
                illegal("two Hosts", head(contentLength, "Host: other") + body),
                illegal("HTTP/3.7", head(contentLength).replace("HTTP/1.1", "HTTP/3.7") + body),
                illegal(
                    "two spaces in the request line",
                    head(contentLength).replace(" HTTP", "  HTTP") + body),
                illegal(
                    "a space in the target",
                    head(contentLength).replace("simple/", "simple /") + body),
                illegal("XX behind a chunk", head(CHUNKED) + size + "\r\n" + body + "XX" + last),
                illegal("LF behind a chunk", head(CHUNKED) + size + "\r\n" + body + "\n" + last),
                illegal("LF behind a size", head(CHUNKED) + size + "\n" + body + "\r\n" + last),
                illegal("LF in an extension", head(CHUNKED) + size + ";a\n" + body + "\r\n" + last),
                illegal(
                    "CR in an extension",
                    head(CHUNKED) + size + ";a\rb\r\n" + body + "\r\n" + last)));
    for (String value :
        List.of("+" + length, "-1", "0x10", "1 0", "99999999999999999999", "1e2", "")) {
      cases.add(
          illegal("Content-Length: '" + value + "'", head("Content-Length: " + value) + body));
    }
    for (String value :
        List.of(
            "xchunked",
            "chunked, identity",
            "identity",
            "gzip",
            "chunked, chunked",
            "\"chunked\"")) {
      cases.add(
          illegal(
              "Transfer-Encoding: " + value, head("Transfer-Encoding: " + value) + chunk + last));
    }
    for (String value :
        List.of("0x" + size, "-" + size, "+" + size, "", "1" + "0".repeat(16), "zz", " " + size)) {
      cases.add(
          illegal(
              "chunk size '" + value + "'", head(CHUNKED) + value + "\r\n" + body + "\r\n" + last));
    }
    return List.copyOf(cases);
  }

  private static Case legal(String name, String bytes) {
    return new Case(name, bytes, true);
  }

  private static Case illegal(String name, String bytes) {
    return new Case(name, bytes, false);
  }

  private static String head(String framing, String... headers) {
    return Requests.inferHead("simple", framing, headers);
  }
}
