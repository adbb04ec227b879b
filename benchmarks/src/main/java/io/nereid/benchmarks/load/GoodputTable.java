package io.nereid.benchmarks.load;

import io.nereid.benchmarks.CpuTimes;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What became of the requests at each multiple of the capacity: a row for each, which is that of
 * the round with the median of requests in time.
 */
final class GoodputTable {
  /** A round of one multiple. */
  private record Round(GoodputStatistics statistics, CpuTimes cpu) {
    GoodputStatistics.Counts overload() {
      return statistics.counts(GoodputBenchmark.OVERLOAD);
    }

    long inTime() {
      return overload().inTime;
    }
  }

  private static final String HEADER =
      "  load  offered/s  in time/s   of max   refused    late   unsent    p50 ms"
          + "    p99 ms  p50 before  p50 1 s after   server client others";

  private final double seconds;
  private final double wholeSeconds;
  private final SortedMap<Double, List<Round>> rounds = new TreeMap<>();

  /**
   * @param seconds the duration of an overload
   * @param wholeSeconds the same with the load before and after it
   */
  GoodputTable(double seconds, double wholeSeconds) {
    this.seconds = seconds;
    this.wholeSeconds = wholeSeconds;
  }

  /** Adds a round of a multiple. */
  void add(double factor, GoodputStatistics statistics, CpuTimes cpu) {
    rounds.computeIfAbsent(factor, _ -> new ArrayList<>()).add(new Round(statistics, cpu));
  }

  /** The requests of all rounds that failed for another reason than the load. */
  long errors() {
    return rounds.values().stream()
        .flatMap(List::stream)
        .mapToLong(round -> round.statistics.errors())
        .sum();
  }

  void print(PrintWriter out) {
    out.println(HEADER);
    long highest =
        rounds.values().stream().mapToLong(each -> median(each).inTime()).max().orElse(0);
    rounds.forEach((factor, each) -> {
      print(factor, median(each), highest, out);
      printErrors(each, out);
    });
  }

  private static Round median(List<Round> rounds) {
    List<Round> sorted = rounds.stream().sorted(Comparator.comparingLong(Round::inTime)).toList();
    return sorted.get(sorted.size() / 2);
  }

  private void print(double factor, Round round, long highest, PrintWriter out) {
    GoodputStatistics.Counts counts = round.overload();
    out.printf(
        Locale.ROOT,
        "%5.1fx %10.0f %10.0f %7.1f%% %8.1f%% %6.1f%% %7.1f%% %9.2f %9.2f %11.2f %14.2f %8.2f %6.2f %6.2f%n",
        factor,
        counts.all() / seconds,
        counts.inTime / seconds,
        percent(counts.inTime, highest),
        percent(counts.refused, counts.all()),
        percent(counts.late, counts.all()),
        percent(counts.unsent, counts.all()),
        counts.percentileMillis(50),
        counts.percentileMillis(99),
        round.statistics.counts(GoodputBenchmark.BEFORE).percentileMillis(50),
        round.statistics.counts(GoodputBenchmark.SECOND_AFTER).percentileMillis(50),
        round.cpu.server() / wholeSeconds,
        round.cpu.generator() / wholeSeconds,
        round.cpu.others() / wholeSeconds);
  }

  private static void printErrors(List<Round> rounds, PrintWriter out) {
    for (Round round : rounds) {
      if (round.statistics.errors() > 0) {
        out.printf(
            "  %d errors, the first: %s%n",
            round.statistics.errors(), round.statistics.firstError());
      }
    }
  }

  private static double percent(long part, long whole) {
    return 100.0 * part / Math.max(1, whole);
  }
}
