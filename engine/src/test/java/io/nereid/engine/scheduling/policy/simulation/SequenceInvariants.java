package io.nereid.engine.scheduling.policy.simulation;

import io.nereid.engine.scheduling.policy.simulation.Action.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What holds for every sequence scheduler: the requests of one run are executed in order, one at a
 * time, on one instance, with direct batching in one row. Only the first one has the start flag, no
 * request follows its end, and the run ends once.
 */
final class SequenceInvariants {
  /** The instance and row of a sequence. */
  private record Place(int instance, int row) {}

  private final boolean hasFixedRows;
  private final Map<Object, Place> places = new HashMap<>();
  private final Map<Object, Integer> latest = new HashMap<>();
  private final Set<Integer> ran = new HashSet<>();
  private final Map<Integer, List<Object>> running = new HashMap<>();
  private final Set<Object> sawEnd = new HashSet<>();
  private final Set<Object> ended = new HashSet<>();

  SequenceInvariants(Configuration configuration) {
    hasFixedRows = configuration.hasFixedRows();
  }

  void dispatched(Action.Dispatch dispatch) {
    int instance = dispatch.instance();
    running.remove(instance);
    for (int index = 0; index < dispatch.batch().size(); index++) {
      Row row = dispatch.batch().get(index);
      if (row != null && row.run() != null) {
        dispatched(row, row.run(), new Place(instance, hasFixedRows ? index : 0));
      }
    }
  }

  private void dispatched(Row row, Object run, Place place) {
    require(!ended.contains(run), "an ended sequence has a request");
    require(!sawEnd.contains(run), "a sequence has a request after its end");
    Place before = places.putIfAbsent(run, place);
    require(before == null || before.equals(place), "a sequence changes its slot");
    require(row.start() == (before == null), "the first request of a sequence is its start");
    if (ran.add(row.name())) { // a rescheduled request may follow later ones
      Integer previous = latest.put(run, row.name());
      require(previous == null || previous < row.name(), "a sequence runs out of order");
    }
    if (row.end()) {
      sawEnd.add(run);
    }
    var there = running.computeIfAbsent(place.instance(), _ -> new ArrayList<>());
    require(!there.contains(run), "a batch has two requests of a sequence");
    there.add(run);
  }

  void ended(Object run) {
    require(ended.add(run), "a sequence ends twice");
  }

  void allFinished() {
    require(ended.containsAll(places.keySet()), "a sequence does not end");
  }

  private static void require(boolean holds, String otherwise) {
    Invariants.require(holds, otherwise);
  }
}
