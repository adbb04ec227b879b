import io.nereid.java.Calls;
import io.nereid.java.JavaModel;
import io.nereid.java.Request;
import io.nereid.java.Response;
import io.nereid.java.TensorArrays;

/** Returns its input after 20 ms: a server answers 50 requests a second, whatever the machine. */
public final class Slow implements JavaModel {
  @Override
  public Response infer(Request request, Calls calls) throws InterruptedException {
    float[] x = TensorArrays.floats(request.input("x"));
    Thread.sleep(20);
    return Response.of(TensorArrays.of("y", x, x.length));
  }
}
