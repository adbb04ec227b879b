/**
 * Commands of the command line that need nothing of the server. Read {@link
 * io.nereid.server.command.NewBackend} first.
 */
@NullMarked
package io.nereid.server.command;

import org.jspecify.annotations.NullMarked;
