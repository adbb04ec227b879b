import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Nodes of a cluster whose pods are processes of this machine: what a kubelet and kube-proxy do for
 * the pods of the chart, no more. A pod has an address of its own, on which its server listens; the
 * arguments and variables are those of its container; a volume is the folder of a claim; memory,
 * processors, users and file systems are those of this machine. Addresses of services are served
 * here too. In the same process there is a server for the API of custom metrics.
 *
 * <pre>
 * java -cp &lt;the server's jars&gt; Kubelet.java &lt;API server&gt; &lt;its certificate&gt; &lt;token&gt; &lt;key store&gt; &lt;bin/nereid&gt; &lt;folder for logs&gt; &lt;node&gt;...
 * </pre>
 */
final class Kubelet {
  private static final Gson GSON = new Gson();

  private final Api api;
  private final String nereid;
  private final Path folder;
  private final List<String> nodes;
  private final Map<String, Pod> pods = new ConcurrentHashMap<>();
  private int addresses;

  private Kubelet(Api api, String nereid, Path folder, List<String> nodes) {
    this.api = api;
    this.nereid = nereid;
    this.folder = folder;
    this.nodes = nodes;
  }

  public static void main(String[] arguments) throws Exception {
    var api = new Api(URI.create(arguments[0]), Path.of(arguments[1]), arguments[2]);
    List<String> nodes = List.of(arguments).subList(6, arguments.length);
    var kubelet = new Kubelet(api, arguments[4], Path.of(arguments[5]), nodes);
    for (String node : nodes) {
      kubelet.register(node);
    }
    new MetricsAdapter(api).serve(Path.of(arguments[3]), 6443 + 1);
    new ServiceProxy(api).follow();
    api.follow("/api/v1/pods", kubelet::podsAre);
    while (true) {
      for (String node : nodes) {
        kubelet.renew(node);
      }
      Thread.sleep(10_000);
    }
  }

  /** A line of what happens, with the time of day. */
  static synchronized void say(String what) {
    System.out.printf("%s %s%n", LocalTime.now().truncatedTo(ChronoUnit.MILLIS), what);
  }

  private void register(String node) throws Exception {
    Map<String, Object> metadata =
        Map.of(
            "name",
            node,
            "labels",
            Map.of("kubernetes.io/hostname", node, "kubernetes.io/os", "linux"));
    api.create(
        "/api/v1/nodes",
        GSON.toJsonTree(Map.of("apiVersion", "v1", "kind", "Node", "metadata", metadata)));
    String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    List<Map<String, String>> conditions = new ArrayList<>();
    for (String type : List.of("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")) {
      conditions.add(
          Map.of(
              "type", type,
              "status", type.equals("Ready") ? "True" : "False",
              "reason", "Kubelet",
              "lastHeartbeatTime", time,
              "lastTransitionTime", time));
    }
    Map<String, String> resources = Map.of("cpu", "4", "memory", "8Gi", "pods", "20");
    var status = Map.of("capacity", resources, "allocatable", resources, "conditions", conditions);
    api.merge("/api/v1/nodes/" + node + "/status", GSON.toJsonTree(Map.of("status", status)));
  }

  /** Says that the node lives. */
  private void renew(String node) throws Exception {
    String leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    String time = Instant.now().truncatedTo(ChronoUnit.MICROS).toString();
    var spec = Map.of("holderIdentity", node, "leaseDurationSeconds", 40, "renewTime", time);
    if (!api.merge(leases + "/" + node, GSON.toJsonTree(Map.of("spec", spec)))) {
      api.create(
          leases,
          GSON.toJsonTree(
              Map.of(
                  "apiVersion",
                  "coordination.k8s.io/v1",
                  "kind",
                  "Lease",
                  "metadata",
                  Map.of("name", node),
                  "spec",
                  spec)));
    }
  }

  /** Starts pods that are bound to our nodes, and tells the others what has changed. */
  private void podsAre(Map<String, JsonObject> all) {
    for (JsonObject object : all.values()) {
      JsonElement node = object.getAsJsonObject("spec").get("nodeName");
      if (node == null || !nodes.contains(node.getAsString())) {
        continue;
      }
      String uid = object.getAsJsonObject("metadata").get("uid").getAsString();
      Pod known = pods.get(uid);
      if (known != null) {
        known.update(object);
        continue;
      }
      String ip = "10.244.0.%d".formatted(++addresses + 10);
      try {
        List<String> command = new ArrayList<>(List.of(nereid, "serve"));
        command.addAll(arguments(object, claims(object)));
        for (String front : List.of("http", "grpc", "metrics")) {
          command.add("--%s-address=%s".formatted(front, ip));
        }
        var pod = new Pod(api, object, command, Files.createDirectories(folder), ip);
        pods.put(uid, pod);
        Thread.ofVirtual().start(pod);
      } catch (Exception problem) {
        say(uid + ": " + problem);
      }
    }
  }

  /** The folders of the claims in a pod's namespace. */
  private Map<String, Path> claims(JsonObject pod) throws Exception {
    String namespace = pod.getAsJsonObject("metadata").get("namespace").getAsString();
    Map<String, Path> folders = new HashMap<>();
    JsonObject claims = api.get("/api/v1/namespaces/" + namespace + "/persistentvolumeclaims");
    for (JsonElement each : claims.getAsJsonArray("items")) {
      JsonObject claim = each.getAsJsonObject();
      String volume = claim.getAsJsonObject("spec").get("volumeName").getAsString();
      JsonObject spec = api.get("/api/v1/persistentvolumes/" + volume).getAsJsonObject("spec");
      folders.put(
          claim.getAsJsonObject("metadata").get("name").getAsString(),
          Path.of(spec.getAsJsonObject("hostPath").get("path").getAsString()));
    }
    return folders;
  }

  /** The container's arguments, with the folders of claims in place of where they are mounted. */
  private static List<String> arguments(JsonObject pod, Map<String, Path> claims) {
    JsonObject spec = pod.getAsJsonObject("spec");
    JsonObject container = spec.getAsJsonArray("containers").get(0).getAsJsonObject();
    Map<String, Path> volumes = new HashMap<>();
    for (JsonElement each : array(spec, "volumes")) {
      JsonObject volume = each.getAsJsonObject();
      if (volume.has("persistentVolumeClaim")) {
        String claim = text(volume.getAsJsonObject("persistentVolumeClaim"), "claimName");
        volumes.put(text(volume, "name"), claims.get(claim));
      }
    }
    List<String> arguments = new ArrayList<>();
    for (JsonElement each : array(container, "args")) {
      String argument = each.getAsString();
      for (JsonElement mount : array(container, "volumeMounts")) {
        Path folder = volumes.get(text(mount.getAsJsonObject(), "name"));
        if (folder != null && argument.endsWith("=" + text(mount.getAsJsonObject(), "mountPath"))) {
          Path mounted = folder.resolve(text(mount.getAsJsonObject(), "subPath"));
          argument = argument.substring(0, argument.indexOf('=') + 1) + mounted;
        }
      }
      arguments.add(argument);
    }
    return arguments;
  }

  private static JsonArray array(JsonObject object, String name) {
    return object.has(name) ? object.getAsJsonArray(name) : new JsonArray();
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }
}
