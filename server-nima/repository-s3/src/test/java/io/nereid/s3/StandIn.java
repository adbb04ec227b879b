package io.nereid.s3;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * S3Proxy in a process of its own: the S3 protocol, signatures included, over a store in memory.
 * Its jar brings other versions of libraries that the server uses.
 */
public final class StandIn implements AutoCloseable {
  static final String BUCKET = "test-bucket";

  private static final Path JAR = Path.of("target/stand-in/s3proxy.jar");

  /** These are also in the environment of the tests; see the module's POM. */
  private static final String KEY = "test-key";

  private static final String SECRET = "test-secret";
  private static final Pattern STARTED = Pattern.compile("Started .*\\{127\\.0\\.0\\.1:(\\d+)\\}");

  private final Process process;
  private final int port;
  private final S3Client client;

  private StandIn(Process process, int port) {
    this.process = process;
    this.port = port;
    this.client =
        S3Client.builder()
            .endpointOverride(URI.create("http://127.0.0.1:" + port))
            .forcePathStyle(true)
            .region(Region.US_EAST_1)
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create(KEY, SECRET)))
            .build();
  }

  /**
   * Starts a store with an empty bucket.
   *
   * @param directory for its settings
   */
  public static StandIn start(Path directory) throws IOException {
    Path settings = directory.resolve("s3proxy.conf");
    Files.writeString(
        settings,
        """
        s3proxy.endpoint=http://127.0.0.1:0
        s3proxy.authorization=aws-v2-or-v4
        s3proxy.identity=%s
        s3proxy.credential=%s
        jclouds.provider=transient-nio2
        jclouds.identity=unused
        jclouds.credential=unused
        """
            .formatted(KEY, SECRET));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                JAR.toString(),
                "--properties",
                settings.toString())
            .redirectErrorStream(true)
            .start();
    BufferedReader log = process.inputReader();
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      Matcher matcher = STARTED.matcher(line);
      if (matcher.find()) {
        Thread.ofVirtual().start(() -> log.lines().forEach(_ -> {})); // so that it never blocks
        var started = new StandIn(process, Integer.parseInt(matcher.group(1)));
        started.client.createBucket(bucket -> bucket.bucket(BUCKET));
        return started;
      }
    }
    throw new IOException("S3Proxy did not start; is " + JAR + " there?");
  }

  /** The location of a path in the bucket. */
  public String location(String path) {
    return "s3://127.0.0.1:%d/%s/%s".formatted(port, BUCKET, path);
  }

  /** The environment of a server that is allowed to read. */
  static Map<String, String> environment() {
    return Map.of("AWS_ACCESS_KEY_ID", KEY, "AWS_SECRET_ACCESS_KEY", SECRET);
  }

  public void put(String key, byte[] content) {
    client.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
  }

  void delete(String key) {
    client.deleteObject(request -> request.bucket(BUCKET).key(key));
  }

  @Override
  public void close() {
    client.close();
    process.destroy();
  }
}
