/** The command line for tests that start a process: the built bundle if there is one, otherwise the sources. */
import { join } from 'node:path'

export const PROGRAM = process.env['TROUPE_TEST_PROGRAM'] ?? join(import.meta.dirname, '..', 'cli.ts')
