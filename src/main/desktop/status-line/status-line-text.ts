/** Turns one run of the status line's command into the content of the status line. */
import type { StatusLineContent, StatusLineRun } from '../../../shared/status-line/contract.ts'

export const NOTHING: StatusLineContent = { text: null, problem: null }

/** The reason for an empty status line in an untrusted folder. */
export const UNTRUSTED = 'The status line’s command does not run here, because the folder is not trusted.'

/** Characters quoted from an error message. */
const LONGEST_QUOTE = 300
/** Terminal control sequences: alone they print nothing. */
const SEQUENCE = /\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g

export function runText(run: StatusLineRun): StatusLineContent {
  const problem = problemOf(run)
  return problem === null ? { text: run.output.trimEnd(), problem } : { text: null, problem }
}

function problemOf({ ended, exitCode, output, errors }: StatusLineRun): string | null {
  if (ended === 'not-started')
    return `The status line’s command could not be started: ${quoted(errors) ?? 'the system gave no reason'}. Check that the folder and your shell exist.`
  if (ended === 'too-slow')
    return `The status line’s command took longer than 1 second and was stopped. Make it faster, or let it print a file that another program updates.`
  const said = quoted(errors)
  if (exitCode === null)
    return `The status line’s command was ended by a signal${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (exitCode === 127)
    return `The status line’s command was not found${said === null ? '' : `: ${said}`}. Check its name, or give its whole path.`
  if (exitCode !== 0)
    return `The status line’s command failed with exit code ${exitCode}${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (output.replace(SEQUENCE, '').trim() === '')
    return `The status line’s command printed nothing. Let it print one line${said === null ? '' : ` (it wrote to standard error: ${said})`}.`
  return null
}

/** The first line that is not empty. */
function quoted(text: string): string | null {
  const line = text
    .replace(SEQUENCE, '')
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined) return null
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}”`
}
