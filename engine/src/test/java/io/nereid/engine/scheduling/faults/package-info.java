/** The engine's schedulers with faults, which the TCK's rules for schedulers must see. */
@NullMarked
package io.nereid.engine.scheduling.faults;

import org.jspecify.annotations.NullMarked;
