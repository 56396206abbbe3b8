/** Texts about agent definitions for models: how agents are told of, and how one is asked to write a definition. */
import type { AgentDefinition, Diagnostic } from './agent-definition.ts'

/**
 * An agent's entry in the main agent's tool description: everything the main agent knows when it chooses.
 *
 * @param toolNames the agent's effective tools
 */
export function announceAgent(
  {
    name,
    description,
    forkContext,
    oneShot,
    program,
    tools,
    disallowedTools,
  }: Pick<
    AgentDefinition,
    'name' | 'description' | 'forkContext' | 'oneShot' | 'program' | 'tools' | 'disallowedTools'
  >,
  toolNames: readonly string[],
): string {
  const properties = forkContext ? 'Properties: access to current context; ' : ''
  const once = oneShot ? ' (answers once)' : ''
  const entry = `${listEntry(name, description)}${once}`
  if (program) return `${entry} (Tools: those of its own program)`
  // A caller that only reads starts agents that only read.
  const isWhole = tools === null && disallowedTools.length === 0 && toolNames.includes('Edit')
  const named = isWhole ? ['all'] : toolNames.filter((tool) => !OF_EVERY_AGENT.has(tool))
  return `${entry} (${properties}Tools: ${named.length === 0 ? 'none' : named.join(', ')})`
}

/** Tools that say nothing about what an agent can do. */
const OF_EVERY_AGENT: ReadonlySet<string> = new Set(['TodoWrite', 'TaskOutput', 'TaskStop', 'Skill'])

/** An entry of a list for a model. Further lines are indented, so that a description cannot look like another entry. */
export function listEntry(name: string, description: string): string {
  return `- ${name}: ${description.trim().replace(/\s*\n\s*/g, '\n  ')}`
}

/** Whether the main agent sees the agent. */
export function isAnnounced({ hidden }: Pick<AgentDefinition, 'hidden'>): boolean {
  return !hidden
}

const OPENING = 'Write an agent definition for what is described here:'

/** The first message to the writer. */
export function draftRequest(description: string): string {
  return `${OPENING}\n\n${description.trim()}`
}

/** The message after an unusable draft. */
export function draftFixRequest(diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map(({ line, message }) => `- line ${line}: ${message}`)
  return `This draft can’t be used:\n${lines.join('\n')}\nWrite the whole file again.`
}

/**
 * The draft in an answer: the content from the last fence before a frontmatter to the last fence that can
 * close it, since a definition may contain fences; otherwise the content of the last fence; otherwise the
 * whole answer.
 */
export function draftIn(answer: string): string {
  const lines = answer.replaceAll('\r\n', '\n').split('\n')
  const from = lines.findLastIndex((line, at) => isFence(line) && /^-{3,}\s*$/.test(lines[at + 1] ?? ''))
  const to =
    from === -1 ? -1 : lines.findLastIndex((line, at) => at > from && endsFence(line, lines[from] ?? ''))
  const draft = to === -1 ? lastFenced(lines) : lines.slice(from + 1, to)
  return `${(draft ?? lines).join('\n').trim()}\n`
}

function lastFenced(lines: readonly string[]): readonly string[] | null {
  let last: readonly string[] | null = null
  for (let at = 0; at < lines.length; at++) {
    if (!isFence(lines[at] ?? '')) continue
    const length = lines.slice(at + 1).findIndex((line) => endsFence(line, lines[at] ?? ''))
    const end = length === -1 ? lines.length : at + 1 + length
    last = lines.slice(at + 1, end)
    at = end
  }
  return last
}

const isFence = (line: string): boolean => /^(`{3,}|~{3,})[^`]*$/.test(line)

/** A fence of the same kind, at least as long, with nothing behind it. */
function endsFence(line: string, opening: string): boolean {
  const mark = /^(`{3,}|~{3,})/.exec(opening)?.[0] ?? ''
  const bare = line.trimEnd()
  return bare.startsWith(mark) && bare === (mark[0] ?? '').repeat(bare.length) && bare !== ''
}
