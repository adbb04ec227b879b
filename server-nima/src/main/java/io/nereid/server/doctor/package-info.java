/**
 * The command {@code doctor}: looks at what a server would need of this machine before it starts,
 * and says what would help where something is missing. Serves nothing and changes nothing. One
 * thread. Read {@link io.nereid.server.doctor.Doctor} first.
 */
@NullMarked
package io.nereid.server.doctor;

import org.jspecify.annotations.NullMarked;
