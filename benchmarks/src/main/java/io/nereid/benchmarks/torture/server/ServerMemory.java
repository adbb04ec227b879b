package io.nereid.benchmarks.torture.server;

import io.nereid.benchmarks.CpuTimes;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The resident memory of a process, now and at its peak (proc_pid_status(5)). All is 0 if the
 * process is unknown.
 */
public final class ServerMemory implements AutoCloseable {
  private static final long INTERVAL_NANOS = 20_000_000;

  private final Thread sampler;
  private final long pid;
  private final long limitMebibytes;
  private volatile long peak;
  private volatile boolean ended;

  private ServerMemory(long pid, long limitMebibytes) {
    this.pid = pid;
    this.limitMebibytes = limitMebibytes;
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
      long now = CpuTimes.memoryMebibytes(pid, "VmRSS");
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
