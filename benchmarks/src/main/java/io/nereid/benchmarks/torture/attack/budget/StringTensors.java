package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Exchange;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import io.nereid.benchmarks.torture.wire.Requests;
import java.time.Duration;

/** Tensors of empty strings, which a runtime may need eight times the bytes for that they have. */
public final class StringTensors implements Attack.Script {
  private static final int CLIENTS = 3;
  private static final int STRINGS = 15_000_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    int strings = scene.scale().count(STRINGS);
    String json =
        ("{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%d],\"datatype\":\"BYTES\",\"parameters\":{\"binary_data_size\":%d}}],"
                + "\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{\"binary_data\":true}}]}")
            .formatted(strings, strings * Integer.BYTES);
    byte[] body =
        new RepeatedBytes(Requests.bytes(json), new byte[Integer.BYTES], strings, new byte[0])
            .gzip();
    byte[] head =
        Requests.bytes(
            Requests.inferHead(
                "identity_bytes",
                "Content-Length: " + body.length,
                "Content-Encoding: gzip",
                "Inference-Header-Content-Length: " + json.length()));
    var answers =
        Crowd.counted(CLIENTS, () -> Exchange.status(scene.target().http(), TIMEOUT, head, body));
    return Outcome.of(answers.toString())
        .require(answers.keySet().stream().allMatch(Exchange::isAnswer), "not all were answered");
  }
}
