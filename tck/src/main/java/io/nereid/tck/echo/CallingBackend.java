package io.nereid.tck.echo;

import io.nereid.spi.Backend;
import io.nereid.spi.BackendContext;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.Batch;
import io.nereid.spi.CallResponse;
import io.nereid.spi.ModelCall;
import io.nereid.spi.Results;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Answers each request with what the model {@code echo} says: {@code OUTPUT0}. The requests of a
 * batch are asked for at the same time, and nothing is copied.
 */
public final class CallingBackend implements BackendProvider {
  @Override
  public String name() {
    return "tck_calling";
  }

  @Override
  public Backend open(BackendContext context) {
    return new StatelessBackend(_ -> {}, CallingBackend::execute);
  }

  private static void execute(Batch batch, Results results) {
    List<CompletableFuture<CallResponse>> asked = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      Tensor input = batch.input(i, "INPUT0").orElseThrow();
      asked.add(batch.calls(i).inferAsync(ModelCall.to("echo").input("INPUT0", input).build()));
    }
    for (int i = 0; i < batch.size(); i++) {
      CallResponse response = asked.get(i).join();
      results.give(i, response.output("OUTPUT0"), response.keep());
    }
  }
}
