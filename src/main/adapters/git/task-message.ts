/** The message of a commit that holds what an agent left uncommitted. */

/** Letters; what is longer goes on below the first line. */
const LONGEST_SUBJECT = 120

/** "Agent task: mend the parser", and a second line where the agent did not come to its end. */
export function taskMessage(task: string, ended: 'completed' | 'failed' | 'stopped' | null): string {
  const words = task.replace(/\s+/g, ' ').trim()
  const subject =
    words.length <= LONGEST_SUBJECT ? words : `${words.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…`
  const lines = [`Agent task: ${subject}`]
  if (ended === 'failed') lines.push('', 'Unfinished: the agent failed before its task was done.')
  if (ended === 'stopped') lines.push('', 'Unfinished: the agent was stopped before its task was done.')
  if (subject !== words) lines.push('', task.trim())
  return `${lines.join('\n')}\n`
}
