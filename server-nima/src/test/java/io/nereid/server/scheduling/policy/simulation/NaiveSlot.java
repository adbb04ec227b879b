package io.nereid.server.scheduling.policy.simulation;

/** A place at an instance. */
record NaiveSlot(int instance, int number) {}
