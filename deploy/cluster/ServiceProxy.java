import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The addresses of services, as kube-proxy makes them: each new connection goes to one of the ready
 * endpoints at random, and stays there. If none is ready, to one that is stopping and still serves.
 */
final class ServiceProxy {
  private final Api api;
  private final Map<String, ServerSocket> listeners = new ConcurrentHashMap<>();
  private volatile Map<String, JsonObject> slices = Map.of();

  ServiceProxy(Api api) {
    this.api = api;
  }

  void follow() {
    api.follow("/apis/discovery.k8s.io/v1/endpointslices", slices -> this.slices = slices);
    api.follow("/api/v1/services", this::servicesAre);
  }

  private void servicesAre(Map<String, JsonObject> services) {
    listeners.keySet().removeIf(name -> !services.containsKey(name) && close(name));
    services.forEach(
        (name, service) -> {
          JsonObject spec = service.getAsJsonObject("spec");
          JsonElement address = spec.get("clusterIP");
          boolean selects = spec.has("selector");
          if (!selects || address == null || address.getAsString().equals("None")) {
            return;
          }
          if (!listeners.containsKey(name)) {
            JsonObject http = spec.getAsJsonArray("ports").get(0).getAsJsonObject();
            listen(
                name,
                address.getAsString(),
                http.get("port").getAsInt(),
                http.get("name").getAsString());
          }
        });
  }

  private boolean close(String name) {
    try {
      listeners.get(name).close();
    } catch (IOException problem) {
      Kubelet.say(name + ": " + problem);
    }
    return true;
  }

  /** Serves the first port of a service. */
  private void listen(String service, String address, int port, String portName) {
    try {
      var socket = new ServerSocket(port, 50, InetAddress.getByName(address));
      listeners.put(service, socket);
      Kubelet.say("service %s: %s:%d".formatted(service, address, port));
      Thread.ofVirtual()
          .start(
              () -> {
                while (!socket.isClosed()) {
                  try {
                    Socket client = socket.accept();
                    Thread.ofVirtual().start(() -> connect(client, service, portName));
                  } catch (IOException closed) {
                    return;
                  }
                }
              });
    } catch (IOException problem) {
      Kubelet.say(service + ": " + problem);
    }
  }

  private void connect(Socket client, String service, String portName) {
    List<InetSocketAddress> endpoints = endpoints(service, portName, "ready");
    if (endpoints.isEmpty()) {
      endpoints = endpoints(service, portName, "serving");
    }
    try (client) {
      if (endpoints.isEmpty()) {
        return;
      }
      try (var server = new Socket()) {
        server.connect(endpoints.get(ThreadLocalRandom.current().nextInt(endpoints.size())));
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Thread answers = Thread.ofVirtual().start(() -> copy(server, client));
        copy(client, server);
        answers.join();
      }
    } catch (IOException | InterruptedException refused) {
      // the client sees a closed connection
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
      to.shutdownOutput();
    } catch (IOException ended) {
      try {
        to.close();
      } catch (IOException _) {
        // it is closed
      }
    }
  }

  private List<InetSocketAddress> endpoints(String service, String portName, String condition) {
    List<InetSocketAddress> found = new ArrayList<>();
    for (JsonObject slice : slices.values()) {
      JsonObject metadata = slice.getAsJsonObject("metadata");
      JsonObject labels = metadata.getAsJsonObject("labels");
      String of =
          metadata.get("namespace").getAsString()
              + "/"
              + labels.get("kubernetes.io/service-name").getAsString();
      if (!of.equals(service) || !slice.get("endpoints").isJsonArray()) {
        continue;
      }
      int port = 0;
      for (JsonElement each : slice.getAsJsonArray("ports")) {
        if (each.getAsJsonObject().get("name").getAsString().equals(portName)) {
          port = each.getAsJsonObject().get("port").getAsInt();
        }
      }
      for (JsonElement each : slice.getAsJsonArray("endpoints")) {
        JsonObject endpoint = each.getAsJsonObject();
        JsonElement holds = endpoint.getAsJsonObject("conditions").get(condition);
        if (holds != null && holds.getAsBoolean()) {
          String ip = endpoint.getAsJsonArray("addresses").get(0).getAsString();
          found.add(new InetSocketAddress(ip, port));
        }
      }
    }
    return found;
  }
}
