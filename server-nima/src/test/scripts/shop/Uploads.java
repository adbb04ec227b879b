import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A repository of a shop, in place of Nexus and Artifactory: files in a folder by GET and HEAD, and by
 * PUT for the user {@code shop} with the password {@code secret}. Prints its port.
 *
 * <pre>java Uploads.java &lt;folder&gt;
 * </pre>
 */
final class Uploads {
  private Uploads() {}

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    var authenticator =
        new BasicAuthenticator("shop") {
          @Override
          public Result authenticate(HttpExchange exchange) {
            return exchange.getRequestMethod().equals("PUT")
                ? super.authenticate(exchange)
                : new Success(null);
          }

          @Override
          public boolean checkCredentials(String user, String password) {
            return user.equals("shop") && password.equals("secret");
          }
        };
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server
        .createContext("/", exchange -> answer(folder, exchange))
        .setAuthenticator(authenticator);
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  private static void answer(Path folder, HttpExchange exchange) throws IOException {
    try (exchange) {
      Path file = folder.resolve(exchange.getRequestURI().getPath().substring(1));
      switch (exchange.getRequestMethod()) {
        case "PUT" -> {
          Files.createDirectories(file.getParent());
          try (InputStream in = exchange.getRequestBody()) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
          }
          exchange.sendResponseHeaders(201, -1);
        }
        case "HEAD" -> exchange.sendResponseHeaders(Files.isRegularFile(file) ? 200 : 404, -1);
        default -> {
          if (Files.isRegularFile(file)) {
            exchange.sendResponseHeaders(200, Files.size(file));
            try (OutputStream out = exchange.getResponseBody()) {
              Files.copy(file, out);
            }
          } else {
            exchange.sendResponseHeaders(404, -1);
          }
        }
      }
    }
  }
}
