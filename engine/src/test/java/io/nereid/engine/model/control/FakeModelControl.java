package io.nereid.engine.model.control;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A model control that records its calls, and does what a test says. */
public final class FakeModelControl implements ModelControl {
  /** One call of the control. */
  public sealed interface Call {
    record Index(boolean readyOnly) implements Call {}

    record Load(String model, LoadParameters parameters) implements Call {}

    record Unload(String model, boolean unloadDependents) implements Call {}
  }

  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private volatile List<ModelIndexEntry> index = List.of();
  private volatile Runnable whileLoading = () -> {};
  private volatile Runnable check = () -> {};

  /** The calls so far. */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Sets what {@link #index} and {@link #known} return. */
  public void setIndex(ModelIndexEntry... entries) {
    index = List.of(entries);
  }

  /** Sets what {@link #load} does. */
  public void setWhileLoading(Runnable action) {
    whileLoading = action;
  }

  @Override
  public List<ModelIndexEntry> index(boolean readyOnly) {
    calls.add(new Call.Index(readyOnly));
    return index;
  }

  @Override
  public List<ModelIndexEntry> known() {
    return index;
  }

  /** Sets what {@link #requireLoadable} and {@link #requireUnloadable} do. */
  public void setCheck(Runnable action) {
    check = action;
  }

  @Override
  public void requireLoadable(String model) {
    check.run();
  }

  @Override
  public void requireUnloadable() {
    check.run();
  }

  @Override
  public void load(String model, LoadParameters parameters) {
    calls.add(new Call.Load(model, parameters));
    whileLoading.run();
  }

  @Override
  public void unload(String model, boolean unloadDependents) {
    calls.add(new Call.Unload(model, unloadDependents));
  }
}
