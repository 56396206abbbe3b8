/** The messages to the agent that writes definitions, and the draft in its answer. */
import type { Diagnostic } from './agent-definition.ts'

const OPENING = 'Write an agent definition for what is described here:'

/** The first message to the writer. */
export function draftRequest(description: string): string {
  return `${OPENING}\n\n${description.trim()}`
}

/** The description in a first message; null for any other message. */
export function describedIn(message: string): string | null {
  return message.startsWith(`${OPENING}\n\n`) ? message.slice(OPENING.length).trim() : null
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
