package io.nereid.server.soak;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import io.nereid.tck.support.HttpWire;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Clients of both protocols that send requests to all models until they are closed. */
final class SoakClients implements AutoCloseable {
  private static final int THREADS_PER_PROTOCOL = 4;
  private static final int MAX_VIOLATIONS = 20;
  private static final List<String> MODELS =
      List.of(
          SoakRepository.PLAIN,
          SoakRepository.MEMBER,
          SoakRepository.ENSEMBLE,
          SoakRepository.ONNX);

  /** The release, and the version whose file was read. */
  private static final Pattern ANSWER =
      Pattern.compile("release=(\\w+) (\\d+)/model.txt=\\1 end labels.txt=\\1");

  private static final Pattern VERSION = Pattern.compile("\"model_version\":\"(\\d+)\"");
  private static final Pattern UNLOADED =
      Pattern.compile(
          "Request for unknown model: '(member|pair)' "
              + "(has no available versions|version 1 is not at ready state)");

  /** One response of either protocol. */
  private record Answer(String version, String text) {}

  /** A request that was rejected. */
  private static final class RejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    RejectedException(String message) {
      super(message);
    }
  }

  /** Sends requests, one after the other. */
  private interface Client extends AutoCloseable {
    Answer send(String model) throws RejectedException;

    @Override
    void close();
  }

  private final Map<String, Timeline> timelines;
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder requests = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final Queue<String> violations = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /**
   * @param timelines by model
   */
  SoakClients(int httpPort, int grpcPort, Map<String, Timeline> timelines) {
    this.timelines = Map.copyOf(timelines);
    for (int i = 0; i < THREADS_PER_PROTOCOL; i++) {
      start("http client " + i, new HttpClient(httpPort));
      start("grpc client " + i, new GrpcClient(grpcPort));
    }
  }

  private void start(String name, Client client) {
    threads.add(Thread.ofPlatform().name(name).start(() -> run(client)));
  }

  private void run(Client client) {
    try (client) {
      for (int i = 0; !closed; i++) {
        String model = MODELS.get(i % MODELS.size());
        long sent = System.nanoTime();
        try {
          check(model, client.send(model), sent);
        } catch (RejectedException failure) {
          String outcome = String.valueOf(failure.getMessage());
          rejected.increment();
          boolean known = UNLOADED.matcher(outcome).find();
          require(known && allows(model, Optional.empty(), sent), model, outcome);
        } catch (RuntimeException broken) {
          require(false, model, broken.toString());
        }
        requests.increment();
      }
    }
  }

  private void check(String model, Answer answer, long sent) {
    if (model.equals(SoakRepository.ONNX)) {
      require(answer.version().equals("1"), model, answer.toString());
      return;
    }
    Matcher text = ANSWER.matcher(answer.text());
    boolean whole = text.find();
    require(whole, model, answer.toString());
    if (whole) {
      boolean ensemble = model.equals(SoakRepository.ENSEMBLE);
      require(answer.version().equals(ensemble ? "1" : text.group(2)), model, answer.toString());
      require(allows(model, Optional.of(text.group(1)), sent), model, answer.toString());
    }
  }

  private boolean allows(String model, Optional<String> release, long sent) {
    Timeline timeline = timelines.get(model);
    return timeline != null && timeline.allows(release, sent, System.nanoTime());
  }

  private void require(boolean satisfied, String model, String outcome) {
    if (!satisfied && violations.size() < MAX_VIOLATIONS) {
      violations.add(model + ": " + outcome);
    }
  }

  /** The requests that have ended. */
  long requests() {
    return requests.sum();
  }

  /** Those of them that were rejected. */
  long rejected() {
    return rejected.sum();
  }

  /** Responses and rejections that should not have been, or the first of them. */
  List<String> violations() {
    return List.copyOf(violations);
  }

  /** Waits until each client has received the response to its last request. */
  @Override
  public void close() {
    closed = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted, waiting for " + thread, stopped);
      }
    }
  }

  private static final class HttpClient implements Client {
    private static final String REQUEST =
        """
        {"inputs":[{"name":"%s","datatype":"%s","shape":[1],"data":[7]}],\
        "parameters":{"binary_data_output":true}}\
        """;
    private static final byte[] BYTES = REQUEST.formatted("IN0", "UINT8").getBytes(UTF_8);
    private static final byte[] FLOATS = REQUEST.formatted("IN", "FP32").getBytes(UTF_8);

    private final HttpWire wire;

    HttpClient(int port) {
      wire = new HttpWire(URI.create("http://127.0.0.1:" + port));
    }

    @Override
    public Answer send(String model) throws RejectedException {
      byte[] body = model.equals(SoakRepository.ONNX) ? FLOATS : BYTES;
      var response = wire.send("POST", "/v2/models/" + model + "/infer", body, Map.of());
      String text = new String(response.body(), ISO_8859_1);
      if (response.status() != 200) {
        throw new RejectedException(response.status() + " " + text);
      }
      Matcher version = VERSION.matcher(text);
      return new Answer(version.find() ? version.group(1) : "", text);
    }

    @Override
    public void close() {
      wire.close();
    }
  }

  private static final class GrpcClient implements Client {
    private final ManagedChannel channel;
    private final GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub;

    GrpcClient(int port) {
      channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
    }

    @Override
    public Answer send(String model) throws RejectedException {
      boolean floats = model.equals(SoakRepository.ONNX);
      var request = ModelInferRequest.newBuilder().setModelName(model);
      request
          .addInputsBuilder()
          .setName(floats ? "IN" : "IN0")
          .setDatatype(floats ? "FP32" : "UINT8")
          .addShape(1);
      request.addRawInputContents(ByteString.copyFrom(new byte[floats ? 4 : 1]));
      try {
        ModelInferResponse response = stub.modelInfer(request.build());
        String text = response.getRawOutputContents(0).toStringUtf8();
        return new Answer(response.getModelVersion(), text);
      } catch (StatusRuntimeException failure) {
        throw new RejectedException(String.valueOf(failure.getMessage()));
      }
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }
}
