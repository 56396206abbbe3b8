import type { LibraryEntry } from '../../../shared/agent-library.ts'

/** A definition's file as people write it: `.claude/agents/x.md`, `~/.claude/agents/x.md`. */
export function shownPath(
  { file, source, path }: Pick<LibraryEntry, 'file' | 'source' | 'path'>,
  folder: string,
): string {
  if (file === null) {
    if (source === 'project') return `.claude/agents/${path}`
    return source === 'user' ? `~/.claude/agents/${path}` : path
  }
  const plain = file.replaceAll('\\', '/')
  const base = `${folder.replaceAll('\\', '/')}/`
  if (plain.startsWith(base)) return plain.slice(base.length)
  return source === 'user' ? `~/.claude/agents/${path}` : plain
}
