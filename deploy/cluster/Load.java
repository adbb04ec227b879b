import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients in a closed loop: each sends a request, waits for the answer, and sends the next, without
 * retries; after ten requests, or when the server has asked for it, on a new connection. Every five
 * seconds it prints how many were answered and how many failed, and why the first of these did.
 * Ends by SIGTERM, once the requests that are open have been answered.
 *
 * <pre>java Load.java &lt;host&gt; &lt;port&gt; &lt;model&gt; &lt;clients&gt;
 * </pre>
 */
final class Load {
  private static final int CALLS_OF_A_CONNECTION = 10;

  private final String host;
  private final int port;
  private final byte[] request;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private volatile boolean ending;
  private volatile String reason = "";

  private Load(String host, int port, String model) {
    this.host = host;
    this.port = port;
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[2],\"data\":[1,2]}]}";
    request =
        ("POST /v2/models/%s/infer HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(model, host, body.length(), body))
            .getBytes(StandardCharsets.US_ASCII);
  }

  public static void main(String[] arguments) throws InterruptedException {
    var load = new Load(arguments[0], Integer.parseInt(arguments[1]), arguments[2]);
    var clients = new Thread[Integer.parseInt(arguments[3])];
    for (int i = 0; i < clients.length; i++) {
      clients[i] = Thread.ofVirtual().start(load::client);
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  load.ending = true;
                  for (Thread each : clients) {
                    try {
                      each.join();
                    } catch (InterruptedException _) {
                      return;
                    }
                  }
                  load.print(" in all");
                }));
    while (true) {
      Thread.sleep(5_000);
      load.print("");
    }
  }

  private void print(String what) {
    System.out.printf(
        "%s load: answered %d, failed %d%s%s%n",
        LocalTime.now().truncatedTo(ChronoUnit.SECONDS),
        answered.get(),
        failed.get(),
        what,
        reason.isEmpty() ? "" : ": " + reason);
  }

  private void client() {
    while (!ending) {
      try (var socket = new Socket()) {
        socket.connect(new InetSocketAddress(host, port), 5_000);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        var in = new BufferedInputStream(socket.getInputStream());
        boolean open = true;
        for (int i = 0; open && i < CALLS_OF_A_CONNECTION && !ending; i++) {
          socket.getOutputStream().write(request);
          open = readAnswer(in);
        }
      } catch (IOException problem) {
        fail(problem.toString());
        LockSupport.parkNanos(100_000_000);
      }
    }
  }

  /** Counts an answer; false if the server closes the connection after it. */
  private boolean readAnswer(InputStream in) throws IOException {
    String status = line(in);
    int length = 0;
    boolean open = true;
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(lower.indexOf(':') + 1).strip());
      } else if (lower.startsWith("connection:") && lower.endsWith("close")) {
        open = false;
      }
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new IOException("the connection was closed within an answer");
    }
    if (status.startsWith("HTTP/1.1 200 ")) {
      answered.incrementAndGet();
    } else {
      fail(status + " " + new String(body, StandardCharsets.UTF_8));
    }
    return open;
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the connection was closed instead of an answer");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private void fail(String why) {
    if (failed.getAndIncrement() == 0) {
      reason = why;
    }
  }
}
