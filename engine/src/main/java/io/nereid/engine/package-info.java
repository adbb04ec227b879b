/**
 * Models served in a process, without sockets. {@link io.nereid.engine.Engine} is the object that a
 * program holds; {@link io.nereid.engine.EngineParts} puts it together. Read {@link
 * io.nereid.engine.Engine} first.
 */
@NullMarked
package io.nereid.engine;

import org.jspecify.annotations.NullMarked;
