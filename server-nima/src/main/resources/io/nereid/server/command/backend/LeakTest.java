package @package@;

import io.nereid.tck.backend.LeakVerification;

/** What 1,000 loads and 10,000 batches leave behind. */
class @Class@LeakTest extends LeakVerification implements @Class@BackendTest.Example {}
