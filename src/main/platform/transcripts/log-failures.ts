/** Failures of a transcript as messages for the user. */
import type { Failure } from '../../../shared/kernel/result.ts'

interface DamageFailure extends Failure {
  readonly type: 'damaged'
  /** Counted from 1. The events before it, `seq` < `line` - 1, can be read. */
  readonly line: number
}

export function damageFailure(path: string, line: number): DamageFailure {
  return {
    type: 'damaged',
    line,
    message: `Line ${line} of a transcript is damaged (${path}). Earlier lines can be read, but the conversation can’t be continued. Start a new one.`,
  }
}

/** @param line the first such line, counted from 1 */
export function notUnderstoodFailure(path: string, line: number): Failure {
  return {
    type: 'newer-version',
    message: `A newer version of Troupe wrote line ${line} of a transcript (${path}), which this version can’t read. Other lines can be read here. To continue the conversation, use the newer version.`,
  }
}
