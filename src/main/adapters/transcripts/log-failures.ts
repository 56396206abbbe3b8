/** Failures of a transcript as messages for the user. */
import type { Failure } from '../../../shared/result.ts'

export interface DamageFailure extends Failure {
  readonly type: 'damaged'
  /** Counted from 1. The events before it, `seq` < `line` - 1, can be read. */
  readonly line: number
}

export function damageFailure(path: string, line: number): DamageFailure {
  return {
    type: 'damaged',
    line,
    message: `Line ${line} of a transcript is damaged (${path}). What comes before it can be read, but the conversation can’t go on from it: start a new one.`,
  }
}

/** @param line the first of them, counted from 1 */
export function notUnderstoodFailure(path: string, line: number): Failure {
  return {
    type: 'newer-version',
    message: `A newer version of Troupe wrote what this one does not understand, first in line ${line} of a transcript (${path}). The rest can be read here; to go on with the conversation, use the newer version.`,
  }
}
