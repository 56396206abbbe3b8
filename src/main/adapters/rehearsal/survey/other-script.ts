/** Any other agent, for example one of the user's own: says that it is a script, and lists the files. */

import { byDepth } from './folder-files.ts'
import type { Conversation } from './read-conversation.ts'
import { code, counted } from './report.ts'
import { ask, type Script } from './script.ts'
import { foundPaths, reasonOf } from './tool-answers.ts'

const HONEST = "I am a script, not a model. This agent's work needs a model, and a key for it (Settings)."
const MOST_FILES = 15

export function* otherScript({ tools }: Conversation): Script {
  if (!tools.has('Glob')) return HONEST
  const [listed] = yield* ask(
    {
      say: `${HONEST} What I can do is list the files.`,
      calls: [{ tool: 'Glob', input: { pattern: '**/*' } }],
    },
    tools,
  )
  if (!listed?.ok)
    return `The folder could not be listed: ${listed ? reasonOf(listed) : 'nothing came back.'}`
  const { items, more } = foundPaths(listed)
  if (items.length === 0)
    return 'The folder is empty, or git ignores everything in it. That is all I can report.'
  const shown = [...items].sort(byDepth).slice(0, MOST_FILES)
  const rest = items.length - shown.length
  return `There ${items.length === 1 && !more ? 'is' : 'are'} ${more ? `more than ${counted(items.length, 'file')}` : counted(items.length, 'file')} here:\n\n${shown.map((path) => `- ${code(path)}`).join('\n')}${rest > 0 || more ? `\n- and ${more ? 'many' : rest} more` : ''}\n\nThat is all I can report.`
}
