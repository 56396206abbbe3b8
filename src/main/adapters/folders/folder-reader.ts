/** Facts of a folder for a system prompt, read from files: no git command runs, so nothing of it is executed. */
import { readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { FolderFacts, FolderReader } from '../../runtime/ports.ts'

/** Longer instructions are cut: they go into every request. */
const LONGEST_INSTRUCTIONS = 64 * 1024
const PROJECT_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md']

export function createFolderReader(options: {
  /** The user's home: `~/.claude/CLAUDE.md` holds everywhere. */
  readonly home: string
  readonly platform: string
}): FolderReader {
  return {
    facts: async (folder, { trusted }) => {
      const [git, instructions] = await Promise.all([
        gitFacts(folder),
        readInstructions([
          join(options.home, '.claude', 'CLAUDE.md'),
          ...(trusted ? PROJECT_FILES.map((file) => join(folder, file)) : []),
        ]),
      ])
      return { ...git, platform: options.platform, instructions }
    },
  }
}

/** The branch that is checked out in the repository around a folder. */
export async function gitFacts(folder: string): Promise<Pick<FolderFacts, 'gitBranch' | 'isRepository'>> {
  const gitFolder = await findGitFolder(resolve(folder))
  if (gitFolder === null) return { gitBranch: null, isRepository: false }
  const head = (await readText(join(gitFolder, 'HEAD'))) ?? ''
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim()
  return { gitBranch: branch ?? null, isRepository: true }
}

/** `.git` of the folder or the nearest one above it; where it is a file (a worktree), what it names. */
async function findGitFolder(folder: string): Promise<string | null> {
  const candidate = join(folder, '.git')
  const found = await stat(candidate).catch(() => null)
  if (found?.isDirectory()) return candidate
  if (found?.isFile()) {
    const named = /^gitdir: (.+)$/m.exec((await readText(candidate)) ?? '')?.[1]?.trim()
    if (named) return isAbsolute(named) ? named : resolve(folder, named)
  }
  const parent = dirname(folder)
  return parent === folder ? null : findGitFolder(parent)
}

async function readInstructions(paths: readonly string[]): Promise<FolderFacts['instructions']> {
  const texts = await Promise.all(paths.map(readText))
  return paths.flatMap((path, index) => {
    const text = texts[index]
    if (text === null || text === undefined || text.trim() === '') return []
    const cut =
      text.length > LONGEST_INSTRUCTIONS
        ? `${text.slice(0, LONGEST_INSTRUCTIONS)}\n[cut here: the file is longer]`
        : text
    return [{ path, text: cut }]
  })
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}
