@NullMarked
package io.nereid.tools.load;

import org.jspecify.annotations.NullMarked;
