import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'

/** A definition's path relative to the project or home: `.claude/agents/x.md`, `~/.claude/agents/x.md`. */
export function shownDefinitionPath(
  { file, source, path }: Pick<CatalogEntry, 'file' | 'source' | 'path'>,
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
