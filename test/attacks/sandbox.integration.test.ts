/** Attacks that what commands see and write stops: see `cases/sandbox.ts`. */
import { sandbox } from './cases/sandbox.ts'
import { trySandboxAttacks } from './try-sandbox-attacks.ts'

trySandboxAttacks(sandbox)
