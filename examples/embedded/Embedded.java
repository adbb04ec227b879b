import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.ModelResponses;
import io.nereid.tensor.Shape;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** Serves the model {@code simple} of a repository in this process. */
class Embedded {
  public static void main(String[] args) throws Exception {
    try (Engine engine = Engine.builder().repository(Path.of(args[0])).startWith("simple").open()) {
      int[] ones = new int[16];
      Arrays.fill(ones, 1);
      ModelRequest request =
          ModelRequest.to("simple")
              .input("INPUT0", Shape.of(1, 16), ones)
              .input("INPUT1", Shape.of(1, 16), ones)
              .build();
      try (ModelResponse response = engine.infer(request)) { // waits
        System.out.println("sums: " + Arrays.toString(response.ints("OUTPUT0")));
      }
      try (ModelResponses responses = engine.stream(request)) { // a decoupled model has many
        for (var next = responses.next(); next.isPresent(); next = responses.next()) {
          next.get().close();
        }
      }
      CompletableFuture<ModelResponse> pending = engine.inferAsync(request);
      if (!pending.cancel(true)) { // the response was faster
        pending.join().close();
      }
      engine.load("simple"); // again, if its files have changed
      System.out.println("ready: " + engine.isReady());
    } // requests finish, then models and memory are closed
  }
}
