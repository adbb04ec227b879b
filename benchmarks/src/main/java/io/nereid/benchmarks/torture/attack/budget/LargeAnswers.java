package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Outcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.Exchange;
import io.nereid.benchmarks.torture.wire.Requests;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/** Valid requests in binary whose responses are asked for as JSON, which is thrice as long. */
public final class LargeAnswers implements Attack.Script {
  private static final int REQUESTS = 16;
  private static final int FLOATS = 8_000_000;
  private static final float LONG_TEXT = -1.2345678e-12f;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public Outcome run(Scene scene) throws InterruptedException {
    int floats = scene.scale().count(FLOATS);
    String json =
        "{\"inputs\":[{\"name\":\"INPUT0\",\"shape\":[%d],\"datatype\":\"FP32\",\"parameters\":{\"binary_data_size\":%d}}]}"
            .formatted(floats, floats * Float.BYTES);
    byte[] head =
        Requests.bytes(
            Requests.inferHead(
                    "identity_fp32",
                    "Content-Length: " + (json.length() + floats * Float.BYTES),
                    "Inference-Header-Content-Length: " + json.length())
                + json);
    var data = ByteBuffer.allocate(floats * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < floats; i++) {
      data.putFloat(LONG_TEXT);
    }
    var answers =
        Crowd.counted(
            REQUESTS, () -> Exchange.status(scene.target().http(), TIMEOUT, head, data.array()));
    return Outcome.of(answers.toString())
        .require(answers.keySet().stream().allMatch(Exchange::isAnswer), "not all were answered");
  }
}
