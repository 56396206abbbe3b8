/** Attacks that the private copy of git's folder stops: see `cases/sandbox-git.ts`. */
import { sandboxGit } from './cases/sandbox-git.ts'
import { trySandboxAttacks } from './try-sandbox-attacks.ts'

trySandboxAttacks(sandboxGit)
