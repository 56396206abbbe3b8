/** The message of a commit with an agent's uncommitted changes. */

/** Characters. */
const LONGEST_SUBJECT = 120

/** "Agent task: Fix the parser", and a second paragraph where the agent did not complete its task. */
export function taskMessage(task: string, ended: 'completed' | 'failed' | 'stopped' | null): string {
  const text = task.replace(/\s+/g, ' ').trim()
  const subject = text.length <= LONGEST_SUBJECT ? text : `${text.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…`
  const lines = [`Agent task: ${subject}`]
  if (ended === 'failed') lines.push('', 'Unfinished: the agent failed before its task was done.')
  if (ended === 'stopped') lines.push('', 'Unfinished: the agent was stopped before its task was done.')
  if (subject !== text) lines.push('', task.trim())
  return `${lines.join('\n')}\n`
}
