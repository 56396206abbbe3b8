/**
 * A conversation as a scenario: what its models said, to be played again without a model by `troupe run --scenario`. A step is
 * found by the first message of its agent and the turn. Paths in the agent's folder are those of the folder in which it is
 * played.
 */
import { stringify } from 'yaml'
import type { EventOf } from '../../../../shared/events/agent-event.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { mapTexts } from '../../../../shared/sharing/clean-value.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import type { SharedConversation } from '../shared-conversation.ts'

export async function* scenario(shared: SharedConversation): AsyncGenerator<Result<string>> {
  const { record, states } = shared
  const firsts = new Map<string, string>()
  for (const state of states) {
    const first = await shared.firstMessage(state.id)
    if (first !== null) firsts.set(state.id, first)
  }
  const main = states.find(({ id }) => id === record.mainAgentId)
  const actors = actorsOf(states, firsts, record.folder)
  yield ok(headOf({ title: record.title, main, task: firsts.get(record.mainAgentId) ?? '' }))
  yield ok(yamlOf({ define: { prompts: [...actors.values()].map(({ pattern }) => pattern) } }))
  const turns = new Map<string, number>()
  /** Agents whose history was summarized: what a request has in it does not tell the turn any more. */
  const summarized = new Set<string>()
  const later: string[] = []
  let commit: string | null = null
  let steps = 0
  yield ok('steps:\n')
  for await (const batch of shared.events()) {
    if (!batch.ok) return yield batch
    let text = ''
    for (const event of batch.value) {
      const actor = 'agentId' in event ? actors.get(event.agentId) : undefined
      if (event.type === 'agent-spawned' && event.parentId === null) commit = commitIn(event)
      if (event.type === 'context-compacted') summarized.add(event.agentId)
      if (event.type === 'user-message' && event.from === 'user' && turns.has(event.agentId))
        later.push(textOf(event.content))
      if (event.type !== 'assistant-message' || actor === undefined || summarized.has(event.agentId)) continue
      const turn = (turns.get(event.agentId) ?? 0) + 1
      turns.set(event.agentId, turn)
      const step = stepOf(event, { actor, turn })
      if (step === null) continue
      steps++
      text += yamlOf([step]).replace(/^(?=.)/gm, '  ')
    }
    yield ok(text)
  }
  if (steps === 0) yield ok('  - reply: This conversation has no answers of a model.\n')
  if (commit !== null) yield ok(yamlOf({ commit }))
  yield ok(later.map((text) => `# Later the user wrote: ${oneLine(text)}\n`).join(''))
}

const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0 })
const oneLine = (text: string): string => makeVisible(text.trim()).replaceAll(/\s*\n\s*/g, ' ')

function headOf({
  title,
  main,
  task,
}: {
  readonly title: string
  readonly main: AgentState | undefined
  readonly task: string
}): string {
  const mode = main === undefined ? '' : ` --permission-mode ${main.permissionMode}`
  return `# A recorded conversation. To play it in a folder with the same files, without a model:
#   troupe run --scenario THIS_FILE${mode}
${yamlOf({ name: oneLine(title) || 'Recorded conversation', task })}`
}

interface Actor {
  /** Its place among the prompts. */
  readonly index: number
  /** A regular expression that its first message matches, in any folder. */
  readonly pattern: string
  /** Its own folder and that of the conversation: both are the agent's folder where the scenario is played. */
  readonly folders: readonly string[]
  /** Whether another agent has the same first message: then each step is for one of them. */
  readonly hasTwin: boolean
}

/** The agents whose answers came from a model. */
function actorsOf(
  states: readonly AgentState[],
  firsts: ReadonlyMap<string, string>,
  folder: string,
): ReadonlyMap<string, Actor> {
  const playable = states.filter(({ id, definition }) => firsts.has(id) && definition.program === undefined)
  const patterns = playable.map(({ id, cwd }) => patternOf(firsts.get(id) ?? '', [cwd, folder]))
  return new Map(
    playable.map(({ id, cwd }, index) => {
      const pattern = patterns[index] ?? ''
      const hasTwin = patterns.indexOf(pattern) !== patterns.lastIndexOf(pattern)
      return [id, { index, pattern, folders: longestFirst([cwd, folder]), hasTwin }]
    }),
  )
}

const longestFirst = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].sort((one, other) => other.length - one.length)

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const ANY_FOLDER = String.raw`\S*`

function patternOf(message: string, folders: readonly string[]): string {
  const pattern = longestFirst(folders).reduce(
    (text, folder) => text.replaceAll(escaped(folder), () => ANY_FOLDER),
    escaped(message.trim()),
  )
  return `^\\s*${pattern}\\s*$`
}

type Block = Readonly<Record<string, unknown>>

/** The answer as a step; null: nothing of it can be played. */
function stepOf(
  { content, stopReason }: EventOf<'assistant-message'>,
  { actor, turn }: { readonly actor: Actor; readonly turn: number },
): Block | null {
  const blocks = content.flatMap((block): readonly Block[] => {
    switch (block.type) {
      case 'text':
        return block.text === '' ? [] : [{ text: block.text }]
      case 'thinking':
        return block.thinking === '' ? [] : [{ thinking: block.thinking }]
      case 'tool_use':
        return [{ tool: block.name, id: block.id, input: block.input }]
      default:
        return []
    }
  })
  if (blocks.length === 0) return null
  const usual = blocks.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn'
  return {
    if: `regex(prompts[${actor.index}]).test(prompt)`,
    turn,
    ...(actor.hasTwin && { once: true }),
    reply: blocks.map((block) => mapTexts(block, (text) => playable(text, actor))),
    ...(stopReason !== usual && { stop: stopReason }),
  }
}

/** Texts as the scenario's templates: its own braces stay braces, and the folder is that of the agent. */
function playable(text: string, { folders }: Actor): string {
  const literal = text.replaceAll('{{', "{{'{{'}}")
  return folders.reduce((all, folder) => all.replaceAll(folder, '{{folder}}'), literal)
}

/** The last commit at the start, as the agent was told it. */
function commitIn({ system, worktree }: EventOf<'agent-spawned'>): string | null {
  return worktree?.base ?? /^Last commits:\n([0-9a-f]{7,40}) /m.exec(system)?.[1] ?? null
}
