/** The outcomes of `troupe run`, and the exit code of each. */
import type { Failure } from '../../../shared/kernel/result.ts'
import { EXIT } from '../../platform/command-line/terminal.ts'

export type RunOutcome =
  | { readonly type: 'completed' }
  /** Every other outcome has a message for standard error. */
  | {
      readonly type:
        | 'usage'
        | 'not-started'
        | 'agent-failed'
        | 'not-merged'
        | 'limit-reached'
        | 'no-access'
        | 'interrupted'
      readonly message: string
    }

const exitCodes: Readonly<Record<RunOutcome['type'], number>> = {
  completed: EXIT.done,
  usage: EXIT.usage,
  'not-started': EXIT.failed,
  'agent-failed': EXIT.failed,
  'not-merged': EXIT.failed,
  'limit-reached': EXIT.failed,
  'no-access': EXIT.noAccess,
  interrupted: EXIT.interrupted,
}

export const exitCodeOf = ({ type }: RunOutcome): number => exitCodes[type]

/** Failures that another command line would avoid. */
const usageFailures: ReadonlySet<string> = new Set([
  'usage',
  'folder-gone',
  'unknown-agent',
  'not-allowed',
  'not-found',
])

/** The outcome of a run whose conversation could not be created or resumed. */
export const notStarted = ({ type, message }: Failure): RunOutcome => ({
  type: usageFailures.has(type) ? 'usage' : 'not-started',
  message,
})
