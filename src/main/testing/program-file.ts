/** The command line that tests start as a process: the bundle that was built for them, else the sources. */
import { join } from 'node:path'

export const PROGRAM = process.env['TROUPE_TEST_PROGRAM'] ?? join(import.meta.dirname, '..', 'cli.ts')
