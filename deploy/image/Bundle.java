import com.google.gson.Gson;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The settings of a container with the network of the host, one processor and 256 MiB, whose root
 * file system cannot be written.
 *
 * @param id its name, also of its control group
 * @param models a folder of the host, to be read in {@code /models}
 * @param user the number of its user and group
 */
record Bundle(String id, Path models, int user) {
  static final long MEMORY = 256L << 20;

  /** In the format of the OCI's runtime specification. */
  String json(List<String> arguments, List<String> environment) {
    var process =
        Map.of(
            "args",
            arguments,
            "env",
            environment,
            "cwd",
            "/",
            "user",
            Map.of("uid", user, "gid", user),
            "noNewPrivileges",
            true);
    var mounts =
        List.of(
            mount("/proc", "proc", "proc", "nosuid,noexec,nodev"),
            mount("/dev", "tmpfs", "tmpfs", "nosuid,mode=755"),
            mount("/dev/shm", "tmpfs", "shm", "nosuid,noexec,nodev,mode=1777,size=64m"),
            mount("/sys", "none", "/sys", "rbind,nosuid,noexec,nodev,ro"),
            mount("/sys/fs/cgroup", "cgroup", "cgroup", "nosuid,noexec,nodev,ro"),
            mount("/models", "none", models.toString(), "rbind,ro"));
    var limits =
        Map.of(
            "memory", Map.of("limit", MEMORY),
            "cpu", Map.of("quota", 100_000, "period", 100_000));
    var linux =
        Map.of(
            "cgroupsPath",
            "/" + id,
            "namespaces",
            Stream.of("pid", "ipc", "uts", "mount").map(type -> Map.of("type", type)).toList(),
            "resources",
            limits);
    return new Gson()
        .toJson(
            Map.of(
                "ociVersion", "1.0.2",
                "process", process,
                "root", Map.of("path", "rootfs", "readonly", true),
                "mounts", mounts,
                "linux", linux));
  }

  private static Map<String, Object> mount(
      String destination, String type, String source, String options) {
    return Map.of(
        "destination", destination,
        "type", type,
        "source", source,
        "options", List.of(options.split(",")));
  }
}
