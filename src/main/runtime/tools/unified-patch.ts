/** What a write changes, as a unified diff for people. */
import { createTwoFilesPatch } from 'diff'
import type { ToolDisplay } from '../../../shared/agent-event.ts'

/** Longer diffs are cut: they are for looking at, the file itself is on the disk. */
const LONGEST_PATCH = 200_000
/** ms after which a diff is given up for a plain replacement. */
const PATIENCE = 500

export function diffDisplay(
  path: string,
  before: string | null,
  after: string,
): Extract<ToolDisplay, { kind: 'diff' }> {
  const patch = patchOf(path, before ?? '', after)
  const lines = patch.split('\n')
  return {
    kind: 'diff',
    path,
    patch: patch.length > LONGEST_PATCH ? `${patch.slice(0, LONGEST_PATCH)}\n` : patch,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    created: before === null,
  }
}

/** The hunks alone, without the two file lines. */
function patchOf(path: string, before: string, after: string): string {
  const whole = createTwoFilesPatch(path, path, before, after, '', '', { context: 3, timeout: PATIENCE })
  if (whole === undefined)
    return `@@ -1 +1 @@\n-(the former content)\n+(the new content: too different to compare)`
  const start = whole.indexOf('@@')
  return start === -1 ? '' : whole.slice(start)
}

/** "+22 −18", as a row says it. */
export function diffNote({ added, removed }: { readonly added: number; readonly removed: number }): string {
  return (
    [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter(Boolean).join(' ') || 'no change'
  )
}
