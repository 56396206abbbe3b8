/** What a run of the status line's command means for the person who looks at it. */
import type { StatusLineRun } from '../../../shared/status-line.ts'

export interface StatusLineWords {
  /** What it printed; null where that is not to be shown. */
  readonly text: string | null
  /** What went wrong and what to do; null: nothing. */
  readonly problem: string | null
}

export const NOTHING: StatusLineWords = { text: null, problem: null }

/** Said where the folder is one that nothing runs in. */
export const UNTRUSTED =
  'The status line’s command does not run here: you have not said that you trust this folder.'

/** Characters of an error message that are quoted. */
const LONGEST_QUOTE = 300
/** Control sequences of a terminal: alone they are nothing that could be seen. */
const SEQUENCE = /\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g

export function wordsOfRun(run: StatusLineRun): StatusLineWords {
  const problem = problemOf(run)
  return problem === null ? { text: run.output.trimEnd(), problem } : { text: null, problem }
}

function problemOf({ ended, exitCode, output, errors }: StatusLineRun): string | null {
  if (ended === 'not-started')
    return `The status line’s command could not be started: ${quoted(errors) ?? 'the system gave no reason'}. See whether the folder and your shell are there.`
  if (ended === 'too-slow')
    return `The status line’s command took longer than 1 second and was ended. Let it do less, or keep what is slow in a file that it only prints.`
  const said = quoted(errors)
  if (exitCode === null)
    return `The status line’s command was ended by a signal${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (exitCode === 127)
    return `The status line’s command was not found${said === null ? '' : `: ${said}`}. Check its name, or give its whole path.`
  if (exitCode !== 0)
    return `The status line’s command ended with exit code ${exitCode}${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (output.replace(SEQUENCE, '').trim() === '')
    return `The status line’s command printed nothing. Let it print one line${said === null ? '' : ` (it said on its standard error: ${said})`}.`
  return null
}

/** The first line that says something. */
function quoted(text: string): string | null {
  const line = text
    .replace(SEQUENCE, '')
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined) return null
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}”`
}
