/** What an agent that runs is told of agents and skills that came or went since its tools were described. */
import type { AgentEventDraft } from '../../../shared/agent-event.ts'

export type ToolsChanged = Extract<AgentEventDraft, { type: 'tools-changed' }>

/** Lists in the descriptions of tools: the words before each, and what its entries are called. */
const LISTS: readonly {
  readonly tool: string
  readonly opening: RegExp
  readonly noun: string
  readonly use: string
}[] = [
  { tool: 'Agent', opening: /^Agents you can start .*:\n/m, noun: 'agent', use: 'to be started with Agent' },
  { tool: 'Skill', opening: /^Skills there are:\n/m, noun: 'skill', use: 'to be loaded with Skill' },
]

/** Both are descriptions by the tool's name; only tools that stand in `told` count. Null where their lists say the same. */
export function toolChanges(
  told: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): ToolsChanged | null {
  const changes = LISTS.flatMap((list) => {
    const [before, after] = [told[list.tool], now[list.tool]]
    if (before === undefined || after === undefined) return []
    const [known, present] = [entriesIn(before, list.opening), entriesIn(after, list.opening)]
    const added = [...present].filter(([name, entry]) => known.get(name) !== entry)
    const gone = [...known.keys()].filter((name) => !present.has(name))
    return added.length + gone.length === 0 ? [] : [{ list, added, gone, description: after }]
  })
  if (changes.length === 0) return null
  return {
    type: 'tools-changed',
    text: changes.map(wordsFor).join('\n\n'),
    note: changes.map(noteFor).join(' '),
    descriptions: Object.fromEntries(changes.map(({ list, description }) => [list.tool, description])),
  }
}

interface Change {
  readonly list: (typeof LISTS)[number]
  readonly added: readonly (readonly [name: string, entry: string])[]
  readonly gone: readonly string[]
}

function wordsFor({ list: { noun, use }, added, gone }: Change): string {
  const came = `New or described anew, ${use} from now on:\n${added.map(([, entry]) => entry).join('\n')}`
  return [
    `The ${noun}s there are have changed.`,
    ...(added.length === 0 ? [] : [came]),
    ...(gone.length === 0 ? [] : [`No longer there: ${gone.join(', ')}.`]),
  ].join('\n')
}

function noteFor({ list: { noun }, added, gone }: Change): string {
  const came = added.map(([name]) => name).join(', ')
  return [
    ...(added.length === 0 ? [] : [`New or changed ${noun}${added.length > 1 ? 's' : ''}: ${came}.`]),
    ...(gone.length === 0 ? [] : [`No longer there: ${gone.join(', ')}.`]),
  ].join(' ')
}

/** The entries `- name: …` of the list, each with the lines that are set in below it. */
function entriesIn(description: string, opening: RegExp): ReadonlyMap<string, string> {
  const found = opening.exec(description)
  if (!found) return new Map()
  const [list = ''] = description.slice(found.index + found[0].length).split('\n\n')
  const entries = list.split(/\n(?! )/).filter((entry) => entry.startsWith('- '))
  return new Map(entries.map((entry) => [/^- (.+?): /.exec(entry)?.[1] ?? entry, entry]))
}
