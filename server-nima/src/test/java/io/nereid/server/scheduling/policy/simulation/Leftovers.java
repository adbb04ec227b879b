package io.nereid.server.scheduling.policy.simulation;

import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.SchedulingPolicy;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a policy still refers to: a request that has ended must not be kept alive by a queue, a heap
 * or an array that it was in once.
 */
final class Leftovers {
  /** Policies and the queues that they keep requests in. */
  private static final List<String> PACKAGES =
      List.of(SchedulingPolicy.class.getPackageName(), Ticket.class.getPackageName());

  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Deque<Object> next = new ArrayDeque<>();

  private Leftovers() {}

  /** A ticket that can be reached from a policy, if any can. */
  static Optional<Ticket> ticket(SchedulingPolicy policy) {
    var leftovers = new Leftovers();
    leftovers.add(policy);
    return leftovers.search();
  }

  private Optional<Ticket> search() {
    for (Object each = next.poll(); each != null; each = next.poll()) {
      switch (each) {
        case Ticket ticket -> {
          return Optional.of(ticket);
        }
        case Object[] array -> {
          for (Object element : array) {
            add(element);
          }
        }
        case Iterable<?> collection -> collection.forEach(this::add);
        case Map<?, ?> map -> {
          map.keySet().forEach(this::add);
          map.values().forEach(this::add);
        }
        default -> addFields(each);
      }
    }
    return Optional.empty();
  }

  private void addFields(Object object) {
    String name = object.getClass().getPackageName();
    if (PACKAGES.stream().noneMatch(name::startsWith)) {
      return;
    }
    for (Field field : object.getClass().getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
        try {
          field.setAccessible(true);
          add(field.get(object));
        } catch (IllegalAccessException impossible) {
          throw new AssertionError(impossible);
        }
      }
    }
  }

  private void add(@Nullable Object object) {
    if (object != null && seen.add(object)) {
      next.add(object);
    }
  }
}
