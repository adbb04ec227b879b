import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The life of a pod with one container, which is a process here: starts it, runs its probes, starts
 * it again, stops it, and tells the API server. One thread does all of it.
 */
final class Pod implements Runnable {
  private static final Gson GSON = new Gson();
  private static final long SECOND = 1_000_000_000L;

  private final Api api;
  private final List<String> command;
  private final Path folder;
  private final String ip;
  private final String path;
  private final String name;
  private final String uid;
  private final JsonObject container;
  private final long created = System.nanoTime();
  private final String createdAt = now();
  private final Map<String, Map<String, String>> conditions = new HashMap<>();

  private volatile JsonObject object; // as the API server has it
  private Process process;
  private String startedAt = createdAt;
  private boolean started;
  private boolean ready;
  private int restarts;
  private long startAgain;
  private Probe startup;
  private Probe readiness;
  private Probe liveness;

  private boolean stopping; // preStop, SIGTERM, SIGKILL
  private long stopped;
  private boolean terminated;

  /**
   * @param command starts the server with the arguments of the container
   * @param folder where its log goes
   * @param ip where it listens
   */
  Pod(Api api, JsonObject object, List<String> command, Path folder, String ip) {
    this.api = api;
    this.object = object;
    this.command = command;
    this.folder = folder;
    this.ip = ip;
    JsonObject metadata = object.getAsJsonObject("metadata");
    name = metadata.get("name").getAsString();
    uid = metadata.get("uid").getAsString();
    path = "/api/v1/namespaces/%s/pods/%s".formatted(metadata.get("namespace").getAsString(), name);
    container =
        object.getAsJsonObject("spec").getAsJsonArray("containers").get(0).getAsJsonObject();
  }

  void update(JsonObject newer) {
    object = newer;
  }

  @Override
  public void run() {
    try {
      start();
      while (step()) {
        Thread.sleep(20);
      }
    } catch (IOException | InterruptedException | RuntimeException problem) {
      say("given up: " + problem);
      problem.printStackTrace();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Does what is due; false once the pod is gone. */
  private boolean step() throws IOException, InterruptedException {
    long now = System.nanoTime();
    boolean deleted = object.getAsJsonObject("metadata").has("deletionTimestamp");
    if (!process.isAlive()) {
      return ended(now, deleted);
    }
    if (deleted && !stopping) {
      say("deleted");
      stop();
    }
    if (stopping) {
      stopFurther(now);
    }
    probe(now);
    return true;
  }

  private void start() throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(Redirect.appendTo(folder.resolve(name + ".log").toFile()));
    if (container.has("env")) {
      for (JsonElement each : container.getAsJsonArray("env")) {
        JsonObject variable = each.getAsJsonObject();
        builder.environment().put(text(variable, "name"), text(variable, "value"));
      }
    }
    process = builder.start();
    startedAt = now();
    long now = System.nanoTime();
    startup = probe("startupProbe", now);
    readiness = probe("readinessProbe", now);
    liveness = probe("livenessProbe", now);
    started = startup == null;
    ready = readiness == null && started;
    stopping = false;
    terminated = false;
    say("started at %s, process %d".formatted(ip, process.pid()));
    report();
  }

  private Probe probe(String kind, long now) {
    return container.has(kind)
        ? new Probe(container.getAsJsonObject(kind), ip, this::port, now)
        : null;
  }

  private int port(String port) {
    for (JsonElement each : container.getAsJsonArray("ports")) {
      if (text(each.getAsJsonObject(), "name").equals(port)) {
        return each.getAsJsonObject().get("containerPort").getAsInt();
      }
    }
    return Integer.parseInt(port);
  }

  /** The startup probe first; the others once it has succeeded. */
  private void probe(long now) throws IOException, InterruptedException {
    if (!started) {
      int result = startup.run(now);
      if (result > 0) {
        started = true;
        say("startup probe: %s".formatted(startup.last));
        report();
      } else if (result < 0 && !stopping) {
        say("startup probe has failed: " + startup.last);
        stop();
      }
      return;
    }
    if (readiness != null) {
      int result = readiness.run(now);
      if (result > 0 != ready && result != 0) {
        ready = result > 0;
        say(
            "%s: readiness probe %s, %d ms after the pod came"
                .formatted(
                    ready ? "ready" : "not ready", readiness.last, (now - created) / 1_000_000));
        report();
      }
    }
    if (liveness != null && !stopping && liveness.run(now) < 0) {
      say("liveness probe has failed: " + liveness.last);
      stop();
    }
  }

  private void stop() {
    stopping = true;
    stopped = System.nanoTime();
    say("preStop: %d s of sleep".formatted(preStopSeconds()));
  }

  private void stopFurther(long now) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    JsonElement grace =
        metadata.has("deletionGracePeriodSeconds")
            ? metadata.get("deletionGracePeriodSeconds")
            : object.getAsJsonObject("spec").get("terminationGracePeriodSeconds");
    if (now - stopped > grace.getAsInt() * SECOND) {
      say("SIGKILL after %s s of grace".formatted(grace));
      process.destroyForcibly();
    } else if (!terminated && now - stopped > preStopSeconds() * SECOND) {
      terminated = true;
      say("SIGTERM");
      process.destroy();
    }
  }

  private int preStopSeconds() {
    JsonObject hook = container.getAsJsonObject("lifecycle");
    JsonObject preStop = hook == null ? null : hook.getAsJsonObject("preStop");
    return preStop == null ? 0 : preStop.getAsJsonObject("sleep").get("seconds").getAsInt();
  }

  /**
   * Tells the API server that the container has ended, and starts it again or lets go of the pod.
   */
  private boolean ended(long now, boolean deleted) throws IOException, InterruptedException {
    if (startAgain == 0) {
      int status = process.exitValue();
      started = false;
      ready = false;
      say(
          "exit status %d%s"
              .formatted(
                  status,
                  stopping ? ", %d ms after the stop".formatted((now - stopped) / 1_000_000) : ""));
      Map<String, Object> end =
          Map.of("exitCode", status, "startedAt", startedAt, "finishedAt", now());
      report(deleted ? status == 0 ? "Succeeded" : "Failed" : "Running", Map.of("terminated", end));
      // At once for the first time, then after 10 s, 20 s and so on, up to 5 minutes.
      startAgain = now + (restarts == 0 ? 0 : Math.min(300, 5L << Math.min(restarts, 6))) * SECOND;
    }
    if (deleted) {
      api.delete(
          path,
          GSON.toJsonTree(Map.of("gracePeriodSeconds", 0, "preconditions", Map.of("uid", uid))));
      return false;
    }
    if (now - startAgain >= 0) {
      startAgain = 0;
      restarts++;
      start();
    }
    return true;
  }

  private void report() throws IOException, InterruptedException {
    report("Running", Map.of("running", Map.of("startedAt", startedAt)));
  }

  private void report(String phase, Map<String, Object> state)
      throws IOException, InterruptedException {
    var status =
        Map.of(
            "phase",
            phase,
            "startTime",
            createdAt,
            "podIP",
            ip,
            "podIPs",
            List.of(Map.of("ip", ip)),
            "conditions",
            List.of(
                condition("PodScheduled", true),
                condition("PodReadyToStartContainers", true),
                condition("Initialized", true),
                condition("ContainersReady", ready),
                condition("Ready", ready)),
            "containerStatuses",
            List.of(
                Map.of(
                    "name",
                    text(container, "name"),
                    "image",
                    text(container, "image"),
                    "imageID",
                    "",
                    "containerID",
                    "process://" + process.pid(),
                    "ready",
                    ready,
                    "started",
                    started,
                    "restartCount",
                    restarts,
                    "state",
                    state)));
    api.merge(path + "/status", GSON.toJsonTree(Map.of("status", status)));
  }

  private Map<String, String> condition(String type, boolean fulfilled) {
    String status = fulfilled ? "True" : "False";
    return conditions.compute(
        type,
        (_, before) ->
            before != null && status.equals(before.get("status"))
                ? before
                : Map.of("type", type, "status", status, "lastTransitionTime", now()));
  }

  private void say(String what) {
    Kubelet.say(name + ": " + what);
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
