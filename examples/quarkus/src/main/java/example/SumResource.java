package example;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.tensor.Shape;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Arrays;
import org.jboss.resteasy.reactive.RestQuery;

/** Asks the model {@code simple}; each request waits on a virtual thread of its own. */
@Path("/sum")
@RunOnVirtualThread
public class SumResource {
  private final Engine engine;

  SumResource(Engine engine) {
    this.engine = engine;
  }

  @GET
  @Produces(MediaType.TEXT_PLAIN)
  public String sum(@RestQuery int a, @RestQuery int b) {
    ModelRequest request =
        ModelRequest.to("simple")
            .input("INPUT0", Shape.of(1, 16), filledWith(a))
            .input("INPUT1", Shape.of(1, 16), filledWith(b))
            .build();
    try (ModelResponse response = engine.infer(request)) {
      return Integer.toString(response.ints("OUTPUT0")[0]);
    }
  }

  private static int[] filledWith(int value) {
    int[] values = new int[16];
    Arrays.fill(values, value);
    return values;
  }
}
