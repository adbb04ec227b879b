@NullMarked
package io.nereid.server.tools;

import org.jspecify.annotations.NullMarked;
