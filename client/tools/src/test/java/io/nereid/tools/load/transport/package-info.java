@NullMarked
package io.nereid.tools.load.transport;

import org.jspecify.annotations.NullMarked;
