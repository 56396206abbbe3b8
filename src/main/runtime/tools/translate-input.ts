/** The input of a call as it counts in a worktree: see worktree-paths.ts and worktree-commands.ts. */
import type { ToolContent } from '../../../shared/content.ts'
import type { SessionWorktree, Tool, ToolOutcome, ToolSession } from '../tool.ts'
import { translateCommand } from './worktree-commands.ts'
import { translatePath } from './worktree-paths.ts'

/** Translates the fields that the tool names in `paths`. @returns the same object where nothing is translated */
export function translateInput(
  input: unknown,
  { paths = {} }: Pick<Tool, 'paths'>,
  { worktree }: Pick<ToolSession, 'worktree'>,
): unknown {
  if (worktree === null || typeof input !== 'object' || input === null) return input
  const fields = { ...input } as Record<string, unknown>
  let isTranslated = false
  for (const [name, kind] of Object.entries(paths)) {
    const value = fields[name]
    if (typeof value !== 'string') continue
    fields[name] = kind === 'path' ? translatePath(value, worktree) : translateCommand(value, worktree)
    isTranslated ||= fields[name] !== value
  }
  return isTranslated ? fields : input
}

/** Those that were told. */
const told = new WeakSet<ToolSession>()

/** The outcome of a call that was translated, with a line that says so: once for each session. */
export function withTranslationNote(outcome: ToolOutcome, session: ToolSession): ToolOutcome {
  if (session.worktree === null || told.has(session)) return outcome
  told.add(session)
  return { ...outcome, content: withLine(outcome.content, noteOf(session.worktree)) }
}

function noteOf({ path, aliases: [top] }: SessionWorktree): string {
  return `[You work in a worktree of your own, so ${top ?? 'the folder it was made from'} means ${path} in your calls. In this one, as in all to come, paths were translated.]`
}

function withLine(content: ToolContent, line: string): ToolContent {
  return typeof content === 'string' ? `${content}\n${line}` : [...content, { type: 'text', text: line }]
}
