/** The command line that tests start as a process: the bundle that was just built for them, or else the sources. */
import { join } from 'node:path'

export const PROGRAM = process.env['TROUPE_TEST_PROGRAM'] ?? join(import.meta.dirname, '..', 'cli.ts')
