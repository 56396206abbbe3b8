/** What the script answers where a definition is to be written: a plain draft, made of the description's words and nothing else. */
import { describedIn } from '../../../../shared/agent-definition/draft-request.ts'
import { formatText } from '../../../../shared/agent-definition/format-value.ts'
import type { Conversation } from './read-conversation.ts'
import { taskWords } from './task-words.ts'

const MOST_NAME_WORDS = 3
const LONGEST_NAME = 60

/** Null where no definition is asked for. */
export function draftReply({ episodes, tools }: Conversation): string | null {
  const described = describedIn(episodes[0]?.messages[0] ?? '')
  if (described === null || tools.size > 0) return null
  const draft = draftFor(described)
  const longest = Math.max(3, ...[...draft.matchAll(/`+/g)].map(([run]) => run.length + 1))
  const fence = '`'.repeat(longest)
  return `I am a script, not a model: I can't think an agent up. This is a plain draft of your own words, to be filled in by hand.\n\n${fence}markdown\n${draft}${fence}`
}

function draftFor(described: string): string {
  const line = described.replace(/\s+/g, ' ').trim()
  return `---
# A draft that a script made of the description, without a model.
name: ${formatText(nameFrom(line), { style: 'plain', inFlow: false })}
description: ${formatText(line, { style: 'plain', inFlow: false })}
---

You are an agent for this:

${described
  .trim()
  .split('\n')
  .map((each) => `> ${each}`.trimEnd())
  .join('\n')}

Do what your prompt says, and no more. Look before you act. If you can't do it, say so and why.

Your report is your last message: the answer first, then what supports it, each place as \`path:line\`, then what you did not check.
`
}

/** The words that say most, in the order in which they stand. */
function nameFrom(line: string): string {
  const lower = line.toLowerCase()
  const words = taskWords(line)
    .filter(({ kind }) => kind === 'word' || kind === 'name')
    .slice(0, MOST_NAME_WORDS)
    .map(({ text }) => text.toLowerCase())
    .sort((one, two) => lower.indexOf(one) - lower.indexOf(two))
  const name = words
    .join('-')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'new-agent' : name.slice(0, LONGEST_NAME).replace(/-+$/, '')
}
