/** Servers whose backends fail, do not return, break their contract, or are missing. */
@NullMarked
package io.nereid.server.backend;

import org.jspecify.annotations.NullMarked;
