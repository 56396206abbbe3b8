/** The script's reply to "write a definition": a plain draft made only from the description's own words. */
import { describedIn } from '../../../../shared/agent-definition/draft-request.ts'
import { formatText } from '../../../../shared/agent-definition/format-value.ts'
import type { Conversation } from './read-conversation.ts'
import { taskWords } from './task-words.ts'

const MOST_NAME_WORDS = 3
const LONGEST_NAME = 60

/** Null if the task does not ask for a definition. */
export function draftReply({ episodes, tools }: Conversation): string | null {
  const described = describedIn(episodes[0]?.messages[0] ?? '')
  if (described === null || tools.size > 0) return null
  const draft = draftFor(described)
  const longest = Math.max(3, ...[...draft.matchAll(/`+/g)].map(([run]) => run.length + 1))
  const fence = '`'.repeat(longest)
  return `I am a script, not a model: I can't design an agent. This is a plain draft made from your own words; complete it by hand.\n\n${fence}markdown\n${draft}${fence}`
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

Do exactly what your task says. Look before you act. If you can't do it, say so and explain why.

Your report is your last message: the answer first, then its evidence, with each location as \`path:line\`, then everything you did not check.
`
}

/** The most specific words, in their original order. */
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
