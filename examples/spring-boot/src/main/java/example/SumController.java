package example;

import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.tensor.Shape;
import java.util.Arrays;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Asks the model {@code simple}; each request waits on a virtual thread of its own. */
@RestController
class SumController {
  private final Engine engine;

  SumController(Engine engine) {
    this.engine = engine;
  }

  @GetMapping("/sum")
  int sum(@RequestParam int a, @RequestParam int b) {
    ModelRequest request =
        ModelRequest.to("simple")
            .input("INPUT0", Shape.of(1, 16), filledWith(a))
            .input("INPUT1", Shape.of(1, 16), filledWith(b))
            .build();
    try (ModelResponse response = engine.infer(request)) {
      return response.ints("OUTPUT0")[0];
    }
  }

  private static int[] filledWith(int value) {
    int[] values = new int[16];
    Arrays.fill(values, value);
    return values;
  }
}
