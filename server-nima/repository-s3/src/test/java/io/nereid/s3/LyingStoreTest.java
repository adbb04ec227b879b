package io.nereid.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.nereid.engine.model.repository.RemoteRepository;
import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.error.InferenceException;
import io.nereid.spi.repository.ObjectStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A repository in a store that sends what the protocol does not allow, over real sockets: each is
 * an error that says what came, and no file is written outside the cache.
 */
@Timeout(60)
class LyingStoreTest {
  private static final String OBJECT =
      "<Contents><Key>%s</Key><ETag>&quot;v&quot;</ETag><Size>%s</Size></Contents>";

  private static final S3Limits LIMITS =
      new S3Limits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          20,
          100_000,
          1 << 20);

  /** What the store does with each request. */
  @FunctionalInterface
  private interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  @TempDir private Path directory;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile Answer listing = exchange -> send(exchange, 200, page(""));
  private volatile Answer head = exchange -> exchange.sendResponseHeaders(200, -1);
  private volatile Answer content = exchange -> send(exchange, 200, "1234");
  private HttpServer server;
  private ObjectStore store;
  private ObjectCache cache;
  private RemoteRepository repository;

  @BeforeEach
  void open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
    String location = "s3://127.0.0.1:%d/bucket/models".formatted(server.getAddress().getPort());
    store =
        new S3StoreProvider(LIMITS)
            .open(location, Map.of("AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"));
    var retries = new Retries(2, Duration.ZERO, _ -> {});
    cache = ObjectCache.open(directory.resolve("cache"), retries, InstantSource.system());
    repository = new RemoteRepository(location, store, Optional.empty(), cache, retries);
  }

  @AfterEach
  void close() {
    store.close();
    cache.close();
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
      if (exchange.getRequestURI().getRawQuery() != null) {
        listing.to(exchange);
      } else if (exchange.getRequestMethod().equals("HEAD")) {
        head.to(exchange);
      } else {
        content.to(exchange);
      }
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static String page(String content) {
    return "<ListBucketResult><EncodingType>url</EncodingType>" + content + "</ListBucketResult>";
  }

  private void list(String content) {
    listing = exchange -> send(exchange, 200, page(content));
  }

  private void object(String key, String size) {
    list(OBJECT.formatted(key, size));
  }

  private Path load() {
    return repository.directory("m", repository.contents("m").orElseThrow());
  }

  private void assertListingFails(String message) {
    assertThatThrownBy(repository::contents)
        .isInstanceOf(InferenceException.class)
        .message()
        .contains("cannot list s3://http://127.0.0.1:", "/bucket/models/")
        .contains(message)
        .hasSizeLessThan(2000);
  }

  private void assertLoadFails(String message) {
    assertThatThrownBy(this::load)
        .isInstanceOf(InferenceException.class)
        .message()
        .contains("/bucket/models", "m/1/f")
        .contains(message)
        .hasSizeLessThan(2000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"m/1/f", "x", "", "/etc/passwd", "../models/m/f", "Models/m/f"})
  void aKeyWithoutThePrefixIsRejected(String key) {
    object(key, "4");

    assertListingFails(
        "the store sent the key '%s', which does not begin with 'models/'".formatted(key));
  }

  @Test
  void anObjectWithoutKeyIsRejected() {
    list("<Contents><Size>4</Size></Contents>");

    assertListingFails("the store sent the key 'null'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../f", "..", "1/../../f", "1//f", "/f", "1/%00f", "./f", "1/%2E%2E/f"})
  void aKeyThatIsNoPathFailsItsModelAndWritesNothing(String path) throws IOException {
    object("models/m/" + path, "4");

    assertThatThrownBy(this::load)
        .isInstanceOf(InferenceException.class)
        .message()
        .contains("model 'm': the object key 'm/", "is not the path of a file");
    assertThat(repository.contents().models()).isEmpty();
    assertThat(requests).noneMatch(request -> request.startsWith("GET /bucket/models/"));
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(file -> file.endsWith("f"))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", ".", "", "/etc"})
  void aNameThatIsNoModelIsLeftOut(String name) {
    object("models/" + name + "/1/f", "4");

    assertThat(repository.models()).isEmpty();
  }

  @Test
  void anEncodedKeyThatCannotBeDecodedIsRejected() {
    object("models/m/%zz", "4");

    assertListingFails("the response cannot be read");
  }

  @ParameterizedTest
  @CsvSource({
    "-1, the store sent the size -1 for the key 'models/m/1/f'",
    "99999999999999999999, the response cannot be read",
    "four, the response cannot be read",
    "'', the response cannot be read"
  })
  void aSizeThatIsNoneIsRejected(String size, String message) {
    object("models/m/1/f", size);

    assertListingFails(message);
  }

  @Test
  void anObjectWithoutSizeIsRejected() {
    list("<Contents><Key>models/m/1/f</Key></Contents>");

    assertListingFails("the store sent the size null for the key 'models/m/1/f'");
  }

  @Test
  void aSizeThatTheDiskHasNotIsRejectedBeforeTheDownload() {
    object("models/m/1/f", Long.toString(Long.MAX_VALUE));

    assertThatThrownBy(this::load)
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("9223372036854775807 bytes are to be downloaded");
    assertThat(requests).hasSize(1);
  }

  @Test
  void aTokenThatComesAgainIsRejected() {
    list("<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>");

    assertListingFails("the store sent the continuation token 'again' twice");
    assertThat(requests).hasSize(2);
  }

  @Test
  void aPartOfAListingWithoutTokenIsRejected() {
    list("<IsTruncated>true</IsTruncated>");

    assertListingFails("no token for the next one");
  }

  @Test
  void aListingWithoutEndIsRejected() {
    listing =
        exchange ->
            send(
                exchange,
                200,
                page(
                    "<IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>"
                        .formatted(requests.size())));

    assertListingFails("the listing has more than 20 pages");
  }

  @Test
  void aListingThatTakesTooMuchMemoryIsRejected() {
    list(OBJECT.formatted("models/m/1/f", "4").repeat(1000));

    assertListingFails("the listing takes more than 100000 bytes of memory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE r SYSTEM 'http://127.0.0.1:1/x.dtd'>",
        "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY x '&a;&a;&a;&a;&a;'>]>"
      })
  void aDocumentTypeIsRejected(String type) {
    listing =
        exchange ->
            send(exchange, 200, type + page(OBJECT.formatted("models/m/%s".formatted("&x;"), "4")));

    assertListingFails("the store sent a document with a document type or entities");
    assertThat(requests).hasSize(1);
  }

  @Test
  void deepNestingIsRejected() {
    list("<a>".repeat(100_000) + "</a>".repeat(100_000));

    assertListingFails("more than 16 elements in each other");
  }

  @Test
  void aListingWithoutEndOfItsBodyIsRejected() {
    listing = exchange -> sendForEver(exchange, 200);

    assertListingFails("the store sent a document of more than 1048576 bytes");
  }

  /** Sends a body until the client closes the connection. */
  private static void sendForEver(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, 0);
    OutputStream body = exchange.getResponseBody();
    body.write("<ListBucketResult>".getBytes(UTF_8));
    for (byte[] text = "<Name>x</Name>".repeat(1000).getBytes(UTF_8); ; ) {
      body.write(text);
    }
  }

  @Test
  void aListingThatDoesNotComeIsGivenUpInTime() {
    listing =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('<');
          exchange.getResponseBody().flush();
          sendSpaces(exchange);
        };

    assertListingFails("did not complete before the specified timeout configuration: 2000 millis");
  }

  /** Slowly, until the client closes the connection. */
  private static void sendSpaces(HttpExchange exchange) throws IOException {
    while (!Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(50_000_000);
      exchange.getResponseBody().write(' ');
      exchange.getResponseBody().flush();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307, 308})
  void aRedirectToAnotherHostIsNotFollowed(int status) {
    listing =
        exchange -> {
          exchange
              .getResponseHeaders()
              .set(
                  "Location",
                  "http://localhost:%d/elsewhere?list-type=2"
                      .formatted(server.getAddress().getPort()));
          send(exchange, status, "");
        };

    assertListingFails("HTTP " + status);
    assertThat(requests).hasSize(1);
  }

  @Test
  void anErrorOfAnySizeIsShortInTheMessage() {
    listing =
        exchange ->
            send(
                exchange,
                403,
                "<Error><Code>AccessDenied</Code><Message>%s</Message></Error>"
                    .formatted("no\n".repeat(100_000)));

    assertListingFails("no?no?");
  }

  @Test
  void anErrorWithoutEndHasItsStatus() {
    listing = exchange -> sendForEver(exchange, 403);

    assertListingFails("HTTP 403");
    assertThat(requests).hasSize(1);
  }

  @Test
  void anErrorThatIsNoXmlHasItsStatus() {
    listing = exchange -> send(exchange, 403, "<html><body>no<br></body>");

    assertListingFails("HTTP 403");
  }

  @ParameterizedTest
  @CsvSource({"12345, 5", "123, 3", "'', 0"})
  void anObjectOfAnotherSizeThanListedIsRejected(String sent, int byteSize) {
    object("models/m/1/f", "4");
    content =
        exchange -> {
          exchange.sendResponseHeaders(200, sent.isEmpty() ? -1 : sent.length());
          exchange.getResponseBody().write(sent.getBytes(UTF_8));
        };

    assertLoadFails("has 4 bytes in the listing, and %d in the response".formatted(byteSize));
  }

  @ParameterizedTest
  @CsvSource({"12345, is longer than the listed 4 bytes", "123, ended after 3 of 4 bytes"})
  void contentOfAnotherSizeThanListedIsRejected(String sent, String message) {
    object("models/m/1/f", "4");
    content =
        exchange -> {
          if (exchange.getRequestHeaders().containsKey("Range")) {
            exchange.getResponseHeaders().set("Content-Range", "bytes 3-3/4");
            exchange.sendResponseHeaders(206, 0);
          } else {
            exchange.sendResponseHeaders(200, 0); // chunked: no length
            exchange.getResponseBody().write(sent.getBytes(UTF_8));
          }
        };

    assertLoadFails(message);
  }

  @ParameterizedTest
  @CsvSource({
    "x-amz-checksum-sha256, 'not base64!', the store sent 'not base64!' as the SHA256 of",
    "x-amz-checksum-crc32, AAAAAAAA, which is not 4 bytes in Base64",
    "x-amz-checksum-sha1, A, which is not 20 bytes in Base64",
    "x-amz-missing-meta, many, the response cannot be read",
  })
  void aHeaderThatIsMalformedIsRejected(String name, String value, String message) {
    object("models/m/1/f", "4");
    head =
        exchange -> {
          exchange.getResponseHeaders().set(name, value);
          exchange.sendResponseHeaders(200, -1);
        };

    assertLoadFails(message);
  }
}
