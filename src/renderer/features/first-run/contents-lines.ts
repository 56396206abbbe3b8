/** What a folder brings, in words, with what an answer of the user means for it. */
import type { FolderContents } from '../../../shared/folder-contents.ts'
import { count } from '../../ui/format.ts'

export interface ContentsLine {
  /** "3 agents" */
  readonly what: string
  readonly means: string
}

export function contentsLines(contents: FolderContents): readonly ContentsLine[] {
  const { agents, skills, commands, hooks, mcpServers, instructions } = contents
  const some = (number: number, word: string, words = `${word}s`) =>
    number > 0 ? [count(number, word, words)] : []
  const line = (parts: readonly string[], means: string): readonly ContentsLine[] =>
    parts.length > 0 ? [{ what: parts.join(', '), means }] : []
  return [
    ...line(
      some(agents, 'agent'),
      'can be used once you trust it. Later ones, and more rights, ask you first.',
    ),
    ...line(
      [...some(hooks, 'hook'), ...some(mcpServers, 'MCP server')],
      'can start programs. Each asks you before it is first used.',
    ),
    ...line(
      [...some(commands, 'command'), ...some(skills, 'skill'), ...instructions],
      'tell agents what to do.',
    ),
  ]
}
