/** Facts of a folder for a system prompt, read from files: no git command runs, so nothing of it is executed. */
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FolderFacts, FolderReader } from '../../runtime/ports.ts'
import { findRepository } from './git-branch.ts'
import { isBelow, readPlainText } from './plain-text.ts'

/** Bytes. Longer instructions are cut: they go into every request. */
const LONGEST_INSTRUCTIONS = 64 * 1024
const PROJECT_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md']

export function createFolderReader(options: {
  /** The user's home: `~/.claude/CLAUDE.md` holds everywhere. */
  readonly home: string
  readonly platform: string
}): FolderReader {
  return {
    facts: async (folder, { trusted }) => {
      const repository = await findRepository(folder)
      const inside = await realOf(repository?.top ?? folder)
      const instructions = await readInstructions([
        { path: join(options.home, '.claude', 'CLAUDE.md'), inside: null },
        ...(trusted ? PROJECT_FILES.map((file) => ({ path: join(folder, file), inside })) : []),
      ])
      return {
        isRepository: repository !== null,
        gitBranch: repository?.branch ?? null,
        platform: options.platform,
        instructions,
      }
    },
  }
}

interface InstructionFile {
  readonly path: string
  /**
   * The real folder that a link may not lead out of: a repository must not be able to put any file of
   * this user into a request. Null for the user's own file.
   */
  readonly inside: string | null
}

/** One that is a link to another is read once. */
async function readInstructions(files: readonly InstructionFile[]): Promise<FolderFacts['instructions']> {
  const found: { path: string; text: string }[] = []
  const seen = new Set<string>()
  for (const { path, inside } of files) {
    const real = await realpath(path).catch(() => null)
    if (real === null || seen.has(real) || (inside !== null && !isBelow(inside, real))) continue
    seen.add(real)
    const read = await readPlainText(real, LONGEST_INSTRUCTIONS)
    if (read === null || read.text.trim() === '') continue
    found.push({
      path,
      text: read.cut ? `${read.text}\n[cut here: the file is longer than 64 KB]` : read.text,
    })
  }
  return found
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
