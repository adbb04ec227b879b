import io.nereid.client.DataType;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidClient;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads a page by the Java model {@code ocr}, and by three calls of the models that it calls, in
 * turn, and prints latency and processor time of both: {@code benchmarks/ocr}.
 *
 * <p>Arguments: the address of a server, its process id, the folder that {@code fetch.sh} has made,
 * the pages of a round.
 */
final class Client {
  private static final int HEIGHT = 480;
  private static final int WIDTH = 640;
  private static final int ROUNDS = 5;

  private Client() {}

  /** A way to read the page. */
  private interface Reader {
    List<String> read();
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[2]);
    int pages = Integer.parseInt(arguments[3]);
    long server = Long.parseLong(arguments[1]);
    byte[] page = Files.readAllBytes(folder.resolve("page.rgb"));
    var ocr = new Ocr(Files.readAllLines(folder.resolve("models/ocr/1/characters.txt")));
    try (NereidClient client =
        NereidClient.builder(arguments[0]).deadline(Duration.ofSeconds(60)).open()) {
      Reader model =
          () -> {
            var request =
                InferRequest.to("ocr")
                    .input("page", Tensor.of(DataType.UINT8, page, HEIGHT, WIDTH, 3))
                    .build();
            return List.of(client.infer(request).output("text").strings());
          };
      Ocr.Models models =
          (name, values, shape) -> {
            InferResponse response =
                client.infer(InferRequest.to(name).input("x", Tensor.of(values, shape)).build());
            Tensor output = response.outputs().values().iterator().next();
            return new Ocr.Answer(output.floats(), output.shape());
          };
      Reader calls =
          () -> ocr.read(page, HEIGHT, WIDTH, models).stream().map(Ocr.Line::text).toList();
      if (!model.read().equals(calls.read())) {
        throw new AssertionError(model.read() + " differs from " + calls.read());
      }
      System.out.println(String.join(" / ", model.read()));
      measure(model, 2, pages, server); // until all is compiled
      measure(calls, 2, pages, server);
      System.out.println(
          "| pages at a time | | p50 ms | p99 ms | pages/s | CPU ms/page, server | client |");
      System.out.println("| --- | --- | --- | --- | --- | --- | --- |");
      for (int threads : new int[] {1, 4}) {
        List<double[]> asModel = new ArrayList<>();
        List<double[]> asCalls = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
          asModel.add(measure(model, threads, pages, server));
          asCalls.add(measure(calls, threads, pages, server));
        }
        print(threads, "Java model", asModel);
        print(threads, "three calls", asCalls);
      }
    }
  }

  /** p50, p99, pages per second, processor time of server and client. */
  private static double[] measure(Reader reader, int threads, int pages, long server)
      throws InterruptedException {
    long[] nanos = new long[pages];
    var next = new AtomicInteger();
    long serverCpu = cpu(server);
    long clientCpu = cpu(ProcessHandle.current().pid());
    long begin = System.nanoTime();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      running.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int k = next.getAndIncrement(); k < pages; k = next.getAndIncrement()) {
                  long sent = System.nanoTime();
                  reader.read();
                  nanos[k] = System.nanoTime() - sent;
                }
              }));
    }
    for (Thread thread : running) {
      thread.join();
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    double ofServer = (cpu(server) - serverCpu) / 1e6 / pages;
    double ofClient = (cpu(ProcessHandle.current().pid()) - clientCpu) / 1e6 / pages;
    Arrays.sort(nanos);
    return new double[] {
      nanos[pages / 2] / 1e6, nanos[pages * 99 / 100] / 1e6, pages / seconds, ofServer, ofClient
    };
  }

  private static long cpu(long pid) {
    return ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElseThrow().toNanos();
  }

  /** Prints the medians of rounds. */
  private static void print(int threads, String way, List<double[]> rounds) {
    double[] medians = new double[5];
    for (int i = 0; i < medians.length; i++) {
      int column = i;
      medians[i] =
          rounds.stream().mapToDouble(row -> row[column]).sorted().toArray()[rounds.size() / 2];
    }
    System.out.printf(
        "| %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f |%n",
        threads, way, medians[0], medians[1], medians[2], medians[3], medians[4]);
  }
}
