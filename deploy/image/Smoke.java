import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannelBuilder;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs an image and tries what a cluster asks of it: a random user, a root file system and a
 * temporary folder that cannot be written, one processor and 256 MiB. Unpacks the archive, serves
 * the models of the examples and one with a name that is not ASCII, asks for a digit over HTTP and
 * over gRPC, stops the server by SIGTERM, and prints what it saw. Needs root, and runc or crun,
 * whose name is in CONTAINER_RUNTIME. The container has the network of the host.
 *
 * <pre>
 * java -cp &lt;the server's jars&gt; Smoke.java &lt;archive&gt; &lt;examples&gt; [option]...
 * </pre>
 */
final class Smoke {
  private static final Pattern PORT = Pattern.compile("Started (\\w+) at 127\\.0\\.0\\.1:(\\d+)");

  private static final String NAME = "gr\u00f6\u00dfe";

  private final Path folder;
  private final Path examples;
  private final String runtime;
  private final String id = "nereid-smoke-" + ProcessHandle.current().pid();
  private final HttpClient client = HttpClient.newHttpClient();

  private Smoke(Path folder, Path examples) {
    this.folder = folder;
    this.examples = examples;
    runtime = System.getenv().getOrDefault("CONTAINER_RUNTIME", "runc");
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory(Path.of("/var/tmp"), "nereid-smoke");
    try {
      var smoke = new Smoke(folder, Path.of(arguments[1]).toRealPath());
      JsonObject image = smoke.unpack(Path.of(arguments[0]).toRealPath());
      smoke.run(image, List.of(arguments).subList(2, arguments.length));
    } finally {
      command("rm", "-rf", folder.toString());
    }
  }

  /** Unpacks the layers into a root file system; returns the image's settings. */
  private JsonObject unpack(Path archive) throws Exception {
    Path layout = Files.createDirectories(folder.resolve("layout"));
    Path root = Files.createDirectories(folder.resolve("rootfs"));
    command("tar", "-x", "-C", layout.toString(), "-f", archive.toString());
    JsonObject index =
        JsonParser.parseString(Files.readString(layout.resolve("index.json"))).getAsJsonObject();
    JsonObject manifest = parse(layout, index.getAsJsonArray("manifests").get(0));
    long packed = 0;
    for (JsonElement layer : manifest.getAsJsonArray("layers")) {
      Path blob = blob(layout, layer);
      packed += Files.size(blob);
      command(
          "tar",
          "-x",
          "-z",
          "-p",
          "--same-owner",
          "--keep-directory-symlink",
          "-C",
          root.toString(),
          "-f",
          blob.toString());
    }
    System.out.printf("image: %.1f MB compressed%n", packed / 1e6);
    return parse(layout, manifest.get("config")).getAsJsonObject("config");
  }

  private static JsonObject parse(Path layout, JsonElement descriptor) throws Exception {
    return JsonParser.parseString(Files.readString(blob(layout, descriptor))).getAsJsonObject();
  }

  /** The file of a descriptor, whose bytes must be those that it names. */
  private static Path blob(Path layout, JsonElement descriptor) throws Exception {
    String digest = descriptor.getAsJsonObject().get("digest").getAsString();
    Path file = layout.resolve("blobs").resolve(digest.replace(':', '/'));
    byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    require(digest.equals("sha256:" + HexFormat.of().formatHex(sum)), file + " is not " + digest);
    require(
        descriptor.getAsJsonObject().get("size").getAsLong() == Files.size(file),
        "size of " + file);
    return file;
  }

  private void run(JsonObject image, List<String> options) throws Exception {
    int user = 1_000_000_000 + ThreadLocalRandom.current().nextInt(100_000);
    List<String> arguments = new ArrayList<>(strings(image, "Entrypoint"));
    arguments.addAll(strings(image, "Cmd"));
    for (String front : List.of("http", "grpc", "metrics")) {
      arguments.addAll(List.of("--" + front + "-address=127.0.0.1", "--" + front + "-port=0"));
    }
    arguments.addAll(options);
    Files.writeString(
        folder.resolve("config.json"),
        new Bundle(id, models(), user).json(arguments, strings(image, "Env")));
    List<String> words = new ArrayList<>(List.of(runtime));
    if (runtime.equals("crun")) {
      words.add("--cgroup-manager=cgroupfs");
    }
    words.addAll(List.of("run", "--bundle", folder.toString(), id));
    long began = System.nanoTime();
    Process container = new ProcessBuilder(words).redirectErrorStream(true).start();
    try (BufferedReader log = container.inputReader()) {
      Map<String, Integer> ports = ports(log);
      URI server = URI.create("http://127.0.0.1:" + ports.get("HTTPService"));
      while (get(server.resolve("/v2/health/ready")).statusCode() != 200) {
        Thread.sleep(2);
      }
      System.out.printf(
          "ready after %d ms, as user %d, root file system read-only, 1 CPU, %d MiB%n",
          (System.nanoTime() - began) / 1_000_000, user, Bundle.MEMORY >> 20);
      Thread output =
          Thread.ofPlatform()
              .start(() -> log.lines().forEach(line -> System.out.println("  " + line)));
      require(
          get(server.resolve("/v2/models/gr%C3%B6%C3%9Fe/ready")).statusCode() == 200,
          "the model '" + NAME + "' is not served");
      infer(server, ports.get("GRPCInferenceService"));
      System.out.println("memory: " + memory());
      long stopped = System.nanoTime();
      command(runtime, "kill", id, "TERM");
      require(container.waitFor(30, TimeUnit.SECONDS), "the server has not ended in 30 s");
      output.join();
      System.out.printf(
          "SIGTERM: exit status %d after %d ms%n",
          container.exitValue(), (System.nanoTime() - stopped) / 1_000_000);
      require(container.exitValue() == 0, "its exit status is not 0");
    } finally {
      if (container.isAlive()) {
        command(runtime, "kill", id, "KILL");
      }
    }
  }

  /** The models of the examples, and one with a name that is not ASCII. */
  private Path models() throws Exception {
    Path models = folder.resolve("models");
    command("cp", "-r", examples.resolve("models").toString(), models.toString());
    Path copy = models.resolve(NAME);
    command("cp", "-r", models.resolve("identity_fp32").toString(), copy.toString());
    Path config = copy.resolve("config.pbtxt");
    Files.writeString(config, Files.readString(config).replace("identity_fp32", NAME));
    return models;
  }

  /** Reads the log until both front ends have said their ports. */
  private static Map<String, Integer> ports(BufferedReader log) throws IOException {
    Map<String, Integer> ports = new HashMap<>();
    while (!ports.keySet().containsAll(List.of("HTTPService", "GRPCInferenceService"))) {
      String line = log.readLine();
      require(line != null, "the server has ended");
      System.out.println("  " + line);
      require(!line.contains("AOT cache"), "the AOT cache is not used");
      Matcher matcher = PORT.matcher(line);
      if (matcher.find()) {
        ports.put(matcher.group(1), Integer.valueOf(matcher.group(2)));
      }
    }
    return ports;
  }

  private void infer(URI server, int grpcPort) throws Exception {
    String body = Files.readString(examples.resolve("digits/held-out/000.json"));
    String truth =
        Files.readAllLines(examples.resolve("digits/held-out/truth.tsv")).stream()
            .filter(line -> line.startsWith("000.json"))
            .map(line -> line.split("\t")[1])
            .findFirst()
            .orElseThrow();
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/v2/models/digits/infer"))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String answer = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    List<Float> overHttp = new ArrayList<>();
    JsonParser.parseString(answer)
        .getAsJsonObject()
        .getAsJsonArray("outputs")
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("data")
        .forEach(each -> overHttp.add(each.getAsFloat()));
    require(digit(overHttp).equals(truth), "over HTTP: not " + truth + " but " + answer);

    JsonObject input =
        JsonParser.parseString(body)
            .getAsJsonObject()
            .getAsJsonArray("inputs")
            .get(0)
            .getAsJsonObject();
    ByteBuffer pixels = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    input.getAsJsonArray("data").forEach(each -> pixels.putFloat(each.getAsFloat()));
    var channel = ManagedChannelBuilder.forAddress("127.0.0.1", grpcPort).usePlaintext().build();
    try {
      ByteBuffer output =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .modelInfer(
                  ModelInferRequest.newBuilder()
                      .setModelName("digits")
                      .addInputs(
                          ModelInferRequest.InferInputTensor.newBuilder()
                              .setName("image")
                              .setDatatype("FP32")
                              .addAllShape(List.of(1L, 1L, 8L, 8L)))
                      .addRawInputContents(ByteString.copyFrom(pixels.flip()))
                      .build())
              .getRawOutputContents(0)
              .asReadOnlyByteBuffer()
              .order(ByteOrder.LITTLE_ENDIAN);
      List<Float> overGrpc = new ArrayList<>();
      while (output.hasRemaining()) {
        overGrpc.add(output.getFloat());
      }
      require(digit(overGrpc).equals(truth), "over gRPC: not " + truth + " but " + overGrpc);
    } finally {
      channel.shutdownNow();
    }
    System.out.printf("a picture of a %s: over HTTP %s, over gRPC %s%n", truth, truth, truth);
  }

  private static String digit(List<Float> probabilities) {
    require(probabilities.size() == 10, "not ten probabilities: " + probabilities);
    return Integer.toString(probabilities.indexOf(Collections.max(probabilities)));
  }

  /** Of the container's only process, by the kernel. */
  private String memory() throws Exception {
    JsonObject state = JsonParser.parseString(command(runtime, "state", id)).getAsJsonObject();
    return String.join(
        ", ",
        Files.readAllLines(Path.of("/proc", state.get("pid").getAsString(), "status")).stream()
            .filter(line -> line.matches("(VmHWM|VmRSS|RssAnon|RssFile|Threads):.*"))
            .map(line -> line.replaceAll("\\s+", " "))
            .toList());
  }

  private static List<String> strings(JsonObject object, String name) {
    return object.getAsJsonArray(name).asList().stream().map(JsonElement::getAsString).toList();
  }

  private HttpResponse<String> get(URI address) throws Exception {
    return client.send(
        HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Runs a command that must succeed; returns its output. */
  private static String command(String... words) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes());
    require(process.waitFor() == 0, String.join(" ", words) + " has failed");
    return output;
  }

  private static void require(boolean fulfilled, String problem) {
    if (!fulfilled) {
      throw new IllegalStateException(problem);
    }
  }
}
