package io.nereid.policy.simulation;

/** A place at an instance. */
record NaiveSlot(int instance, int number) {}
