package io.nereid.benchmarks.torture.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resident memory of a process, now and at its peak (proc_pid_status(5)). All is 0 if the
 * process is unknown.
 */
public final class ServerMemory implements AutoCloseable {
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private static final long INTERVAL_NANOS = 20_000_000;

  private final Path status;
  private final Thread sampler;
  private final long pid;
  private final long limitMebibytes;
  private volatile long peak;
  private volatile boolean ended;

  private ServerMemory(long pid, long limitMebibytes) {
    this.pid = pid;
    this.limitMebibytes = limitMebibytes;
    status = Path.of("/proc", Long.toString(pid), "status");
    sampler = Thread.ofPlatform().name("server-memory").daemon().unstarted(this::sample);
  }

  /** Starts to look for the peak, and kills the process if it exceeds {@code limitMebibytes}. */
  public static ServerMemory of(long pid, long limitMebibytes) {
    var memory = new ServerMemory(pid, limitMebibytes);
    memory.sampler.start();
    return memory;
  }

  private void sample() {
    while (!ended) {
      if (mebibytes() > limitMebibytes) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
      LockSupport.parkNanos(INTERVAL_NANOS);
    }
  }

  /** The present resident memory in MiB; 0 if the process has ended. */
  public synchronized long mebibytes() {
    try {
      Matcher resident = RESIDENT.matcher(Files.readString(status));
      long now = resident.find() ? Long.parseLong(resident.group(1)) >> 10 : 0;
      peak = Math.max(peak, now);
      return now;
    } catch (IOException _) {
      return 0;
    }
  }

  /** The most that was seen, in MiB. */
  public long peakMebibytes() {
    return peak;
  }

  @Override
  public void close() {
    ended = true;
  }
}
