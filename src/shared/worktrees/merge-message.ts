/** The message that a merge proposes for its commit. Both processes use it: what the window shows is what git gets. */

/** Longer subjects are cut by most tools. */
export const SUBJECT_LENGTH = 72
/** The length of a whole message at most, in characters. */
export const MESSAGE_LENGTH = 20_000

interface MergedWorktree {
  readonly agentName: string
  readonly task: string
  readonly branch: string
}

/** The subject is at most 72 characters long; a longer task follows in the body. */
export function mergeMessage(
  { agentName, task, branch }: MergedWorktree,
  method: 'merge' | 'squash',
): { readonly subject: string; readonly body: string } {
  const whole = task.trim()
  const [line = ''] = whole.split('\n', 1)
  const room = SUBJECT_LENGTH - (method === 'merge' ? 'Merge ""'.length : 0)
  const short = line.length > room ? `${line.slice(0, room - 1)}…` : line
  const named = method === 'merge' ? `Merge "${short}"` : short
  const unnamed = method === 'merge' ? `Merge the work of ${agentName}` : `Work of ${agentName}`
  const rest = short === whole ? [] : [whole, '']
  return {
    subject: line === '' ? unnamed : named,
    body: [...rest, `Agent: ${agentName}`, `Branch: ${branch}`].join('\n'),
  }
}

/** The message as git gets it. */
export function messageText({ subject, body }: { readonly subject: string; readonly body: string }): string {
  return [subject.trim(), body.trim()].filter((part) => part !== '').join('\n\n')
}
