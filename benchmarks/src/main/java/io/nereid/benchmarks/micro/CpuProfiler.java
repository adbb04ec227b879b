package io.nereid.benchmarks.micro;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The CPU time of the process per operation, all threads together: of a benchmark whose client and
 * server are in one process, what both use, with the garbage collector and the JIT compilers.
 */
public final class CpuProfiler implements InternalProfiler {
  private static final double NANOS_PER_MICRO = 1e3;

  private final OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private long begin;

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    begin = process.getProcessCpuTime();
  }

  @Override
  public Collection<ScalarResult> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double micros = (process.getProcessCpuTime() - begin) / NANOS_PER_MICRO;
    return List.of(
        new ScalarResult(
            "cpu", micros / result.getMetadata().getAllOps(), "us/op", AggregationPolicy.AVG));
  }

  @Override
  public String getDescription() {
    return "CPU time of the process per operation";
  }
}
