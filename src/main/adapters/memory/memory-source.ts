/** What agents are told beside their definition, read from files: instructions of the user and of the project. */
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { LoadedInstructions } from '../../../shared/agent-event.ts'
import type { InstructionFile, MemorySource } from '../../runtime/ports.ts'
import { isBelow, readPlainText } from '../files/plain-text.ts'
import { findRepository } from '../folders/git-branch.ts'

/** Bytes. Longer instructions are cut: they go into every request. */
const LONGEST_INSTRUCTIONS = 64 * 1024
const PROJECT_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md']

export function createMemorySource(options: {
  /** The user's home: `~/.claude/CLAUDE.md` holds everywhere. */
  readonly home: string
  readonly dataFolder: string
}): MemorySource {
  return {
    load: async (folder, { omitProjectInstructions }, { trusted }) => {
      if (omitProjectInstructions) return { files: [], folder: null, problems: [] }
      const inside = await realOf((await findRepository(folder))?.top ?? folder)
      const project = (file: string) => ({ path: join(folder, file), scope: 'project' as const, inside })
      const files = await readInstructions([
        { path: join(options.home, '.claude', 'CLAUDE.md'), scope: 'user', inside: null },
        ...(trusted ? PROJECT_FILES.map(project) : []),
      ])
      return { files, folder: null, problems: [] }
    },
    below: async () => [],
  }
}

interface Wanted extends Pick<LoadedInstructions, 'path' | 'scope'> {
  /**
   * The real folder that a link may not lead out of: a repository must not be able to put any file of
   * this user into a request. Null for the user's own file.
   */
  readonly inside: string | null
}

/** One that is a link to another is read once. */
async function readInstructions(files: readonly Wanted[]): Promise<readonly InstructionFile[]> {
  const found: InstructionFile[] = []
  const seen = new Set<string>()
  for (const { path, scope, inside } of files) {
    const real = await realpath(path).catch(() => null)
    if (real === null || seen.has(real) || (inside !== null && !isBelow(inside, real))) continue
    seen.add(real)
    const read = await readPlainText(real, LONGEST_INSTRUCTIONS)
    if (read === null || read.text.trim() === '') continue
    const text = read.cut ? `${read.text}\n[cut here: the file is longer than 64 KB]` : read.text
    found.push({ path, scope, importedBy: null, bytes: Buffer.byteLength(text), text })
  }
  return found
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
