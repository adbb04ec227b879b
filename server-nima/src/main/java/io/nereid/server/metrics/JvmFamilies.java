package io.nereid.server.metrics;

import io.nereid.server.metrics.exposition.Labels;
import io.nereid.server.metrics.exposition.MetricWriter;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import jdk.management.VirtualThreadSchedulerMXBean;

/** The JVM: memory, garbage collection, threads and classes. */
final class JvmFamilies {
  private static final int MILLI_DIGITS = 3;

  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private final List<BufferPoolMXBean> buffers =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final VirtualThreadSchedulerMXBean virtualThreads =
      ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
  private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();

  void write(MetricWriter writer) {
    memory(writer);
    collections(writer);
    threads(writer);
    writer.gauge(
        "nereid_jvm_classes_loaded", "Classes that are loaded", classes.getLoadedClassCount());
    writer.counter(
        "nereid_jvm_classes_loaded_total",
        "Classes that were loaded",
        classes.getTotalLoadedClassCount());
    writer.counter(
        "nereid_jvm_classes_unloaded_total",
        "Classes that were unloaded",
        classes.getUnloadedClassCount());
  }

  private void memory(MetricWriter writer) {
    Map<String, MemoryUsage> areas =
        Map.of("heap", memory.getHeapMemoryUsage(), "nonheap", memory.getNonHeapMemoryUsage());
    writer.gauge("nereid_jvm_memory_used_bytes", "Memory of the JVM that is in use");
    areas.forEach((area, usage) -> writer.sample(Labels.of("area", area), usage.getUsed()));
    writer.gauge("nereid_jvm_memory_committed_bytes", "Memory that the JVM has of the system");
    areas.forEach((area, usage) -> writer.sample(Labels.of("area", area), usage.getCommitted()));
    writer.gauge("nereid_jvm_memory_max_bytes", "The most memory that the JVM may use");
    areas.forEach((area, usage) -> {
      if (usage.getMax() >= 0) { // otherwise it has no limit
        writer.sample(Labels.of("area", area), usage.getMax());
      }
    });
    writer.gauge("nereid_jvm_buffer_used_bytes", "Memory of direct and mapped byte buffers");
    for (BufferPoolMXBean pool : buffers) {
      writer.sample(Labels.of("pool", pool.getName()), pool.getMemoryUsed());
    }
  }

  private void collections(MetricWriter writer) {
    writer.counter("nereid_jvm_gc_collections_total", "Garbage collections, by collector");
    for (GarbageCollectorMXBean collector : collectors) {
      writer.sample(gc(collector), Math.max(0, collector.getCollectionCount()));
    }
    writer.counter(
        "nereid_jvm_gc_seconds_total", "Duration of garbage collections in seconds, by collector");
    for (GarbageCollectorMXBean collector : collectors) {
      long millis = Math.max(0, collector.getCollectionTime());
      writer.sample(gc(collector), BigDecimal.valueOf(millis, MILLI_DIGITS));
    }
  }

  private static Labels gc(GarbageCollectorMXBean collector) {
    return Labels.of("gc", collector.getName());
  }

  private void threads(MetricWriter writer) {
    writer.gauge("nereid_jvm_threads", "Platform threads", threads.getThreadCount());
    writer.gauge(
        "nereid_jvm_threads_peak",
        "The most platform threads so far",
        threads.getPeakThreadCount());
    writer.gauge(
        "nereid_jvm_virtual_thread_carriers",
        "Platform threads that run virtual threads",
        virtualThreads.getPoolSize());
    writer.gauge(
        "nereid_jvm_virtual_thread_parallelism",
        "The virtual threads that may run at the same time",
        virtualThreads.getParallelism());
    writer.gauge(
        "nereid_jvm_virtual_threads_running",
        "Virtual threads that run, about",
        Math.max(0, virtualThreads.getMountedVirtualThreadCount()));
    writer.gauge(
        "nereid_jvm_virtual_threads_queued",
        "Virtual threads that wait for a processor, about",
        Math.max(0, virtualThreads.getQueuedVirtualThreadCount()));
  }
}
