package io.nereid.demo;

import io.nereid.client.InferRequest;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import io.nereid.client.Tensor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Classifies handwritten digits over HTTP and gRPC and prints the predictions. */
public final class Demo {
  /** The accuracy that the digits model exceeds. */
  private static final double EXPECTED_ACCURACY = 0.97;

  /** The number of samples that are drawn. */
  private static final int SHOWN = 3;

  /** Rounds over all digits; the latencies of the last one are reported. */
  private static final int WARM_ROUNDS = 8;

  private final int httpPort;
  private final int grpcPort;
  private final Path samples;

  /**
   * @param samples directory of request files and {@code truth.tsv}
   */
  public Demo(int httpPort, int grpcPort, Path samples) {
    this.httpPort = httpPort;
    this.grpcPort = grpcPort;
    this.samples = samples;
  }

  /**
   * Runs the demo.
   *
   * @return whether the accuracy over both protocols is as expected
   */
  public boolean run(PrintStream out) throws IOException {
    List<Sample> digits = Sample.readAll(samples);
    boolean good;
    try (var http = NereidClient.builder("http://localhost:" + httpPort).jsonTensors().open();
        var grpc = NereidClient.connect("grpc://localhost:" + grpcPort)) {
      for (Sample sample : digits.subList(0, Math.min(SHOWN, digits.size()))) {
        show(sample, probabilities(http, sample), out);
      }
      good = classify("HTTP", http, digits, out);
      good &= classify("gRPC", grpc, digits, out);
    }
    printCurls(out);
    return good;
  }

  private static void show(Sample sample, float[] probabilities, PrintStream out) {
    int digit = best(probabilities);
    for (String line : sample.drawing()) {
      out.println("  " + line);
    }
    out.printf(
        "  %s: predicted %d with %.1f %%, truth %d%n%n",
        sample.file(), digit, 100 * probabilities[digit], sample.truth());
  }

  /** Sends all digits one at a time: once for the predictions, then repeatedly for the latency. */
  private static boolean classify(
      String protocol, NereidClient client, List<Sample> digits, PrintStream out)
      throws IOException {
    int right = 0;
    for (Sample sample : digits) {
      int digit = best(probabilities(client, sample));
      if (digit == sample.truth()) {
        right++;
      } else {
        out.printf(
            "%s: %s predicted %d, truth %d%n", protocol, sample.file(), digit, sample.truth());
      }
    }
    long[] nanos = new long[digits.size()];
    for (int round = 0; round < WARM_ROUNDS; round++) {
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        var _ = probabilities(client, digits.get(i));
        nanos[i] = System.nanoTime() - start;
      }
    }
    Arrays.sort(nanos);
    double accuracy = (double) right / nanos.length;
    out.printf(
        "%s: %d of %d right (%.2f %%); latency, one at a time, once warm: p50 %.0f us, p99 %.0f us%n%n",
        protocol,
        right,
        nanos.length,
        100 * accuracy,
        nanos[nanos.length / 2] / 1e3,
        nanos[nanos.length * 99 / 100] / 1e3);
    return accuracy > EXPECTED_ACCURACY;
  }

  /** The probabilities of the ten digits. */
  private static float[] probabilities(NereidClient client, Sample sample) throws IOException {
    var pixels = Tensor.of(sample.pixels(), 1, 1, 8, 8);
    try {
      var response = client.infer(InferRequest.to("digits").input("image", pixels).build());
      return response.outputs().values().iterator().next().floats();
    } catch (NereidException failure) {
      throw new IOException(sample.file() + ": " + failure.getMessage(), failure);
    }
  }

  private static int best(float[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      best = probabilities[i] > probabilities[best] ? i : best;
    }
    return best;
  }

  private void printCurls(PrintStream out) {
    String url = "localhost:" + httpPort + "/v2";
    out.println("Try it:");
    out.println("  curl " + url + "/models/digits");
    out.println("  curl -d @" + samples.resolve("000.json") + " " + url + "/models/digits/infer");
    out.println(
        "  curl -d '{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"FP32\",\"shape\":[3],"
            + "\"data\":[1,2.5,3]}]}' "
            + url
            + "/models/identity_fp32/infer");
    out.flush();
  }
}
