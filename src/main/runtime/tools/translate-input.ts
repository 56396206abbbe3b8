/**
 * The input of a call with its paths as they are meant: `~` expanded, and paths translated into a worktree (see
 * worktree-paths.ts and worktree-commands.ts).
 */
import type { ToolContent } from '../../../shared/messages/content.ts'
import { translateCommand } from '../paths/worktree-commands.ts'
import { translatePath } from '../paths/worktree-paths.ts'
import type { SessionWorktree, Tool, ToolOutcome, ToolSession } from '../ports/tool.ts'

/** Expands `~` and `~/` at the start of the fields with a path, as a shell does. @returns the same object without one */
export function expandHome(
  input: unknown,
  { paths = {} }: Pick<Tool, 'paths'>,
  { home = null }: Pick<ToolSession, 'home'>,
): unknown {
  if (home === null) return input
  return mapFields(input, paths, (value, kind) =>
    kind === 'path' ? value.replace(/^~(?=\/|$)/, () => home) : value,
  )
}

/** Translates the fields that the tool names in `paths`. @returns the same object where nothing is translated */
export function translateInput(
  input: unknown,
  { paths = {} }: Pick<Tool, 'paths'>,
  { worktree }: Pick<ToolSession, 'worktree'>,
): unknown {
  if (worktree === null) return input
  return mapFields(input, paths, (value, kind) =>
    kind === 'path' ? translatePath(value, worktree) : translateCommand(value, worktree),
  )
}

function mapFields(
  input: unknown,
  paths: NonNullable<Tool['paths']>,
  mapped: (value: string, kind: 'path' | 'command') => string,
): unknown {
  if (typeof input !== 'object' || input === null) return input
  const fields = { ...input } as Record<string, unknown>
  let isChanged = false
  for (const [name, kind] of Object.entries(paths)) {
    const value = fields[name]
    if (typeof value !== 'string') continue
    fields[name] = mapped(value, kind)
    isChanged ||= fields[name] !== value
  }
  return isChanged ? fields : input
}

/** Sessions that received the note. */
const noted = new WeakSet<ToolSession>()

/** The outcome of a translated call, with a note about the translation: once for each session. */
export function withTranslationNote(outcome: ToolOutcome, session: ToolSession): ToolOutcome {
  if (session.worktree === null || noted.has(session)) return outcome
  noted.add(session)
  return { ...outcome, content: withLine(outcome.content, noteOf(session.worktree)) }
}

function noteOf({ path, aliases: [top] }: SessionWorktree): string {
  return `[You work in your own worktree, so ${top ?? 'the folder it was created from'} means ${path} in all your calls. The paths of this call were translated.]`
}

function withLine(content: ToolContent, line: string): ToolContent {
  return typeof content === 'string' ? `${content}\n${line}` : [...content, { type: 'text', text: line }]
}
