/** Reasons why a command needs permission or is denied. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type LocatedPath, locatePath } from './locate-path.ts'
import type { PermissionConcern } from './permission-concern.ts'

export interface Concern {
  /** A whole sentence. */
  readonly because: string
  /**
   * `sensitive`: no rule and no mode settles it. `secret`: only a rule for that file does. `denied`: the user is not
   * asked.
   */
  readonly weight: 'plain' | 'secret' | 'sensitive' | 'denied'
  /**
   * For a command in the sandbox. `fails`: the sandbox prevents it, so a permitted command runs outside. `asks`: the
   * sandbox allows it, and the user is still asked. By default the sandbox settles a plain concern.
   */
  readonly inSandbox?: 'asks' | 'fails'
  /** The rule that settles the concern, if a rule for the command does not. */
  readonly rule?: string
}

/** The resolved path, or the reason why it can't be resolved. */
export async function locate(
  question: PermissionConcern,
  path: string,
  cwd: string,
): Promise<LocatedPath | string> {
  const found = await locatePath(path, { cwd, root: question.agent.root, realPath: question.realPath })
  if (found.ok) return found.value
  return `Troupe can't resolve ${makeVisible(path.slice(0, 300))}: ${found.failure.message}`
}
