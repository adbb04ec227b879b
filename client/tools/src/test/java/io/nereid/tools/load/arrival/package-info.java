@NullMarked
package io.nereid.tools.load.arrival;

import org.jspecify.annotations.NullMarked;
