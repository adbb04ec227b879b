package io.nereid.config;

/**
 * Which scheduler hands requests to a model's instances. More kinds will come: switch over it with
 * a default.
 */
public interface SchedulingSettings {
  /** No scheduler configured: each request is a batch of its own, in order of arrival. */
  record Direct() implements SchedulingSettings {}
}
