/** Where instructions and memory lie: beside the project, in the user's home, and in the data folder. */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import type { MemoryScope } from '../../../shared/agent-definition/agent-definition.ts'
import { agentSlug } from '../../../shared/agent-slug.ts'
import { findRepository } from '../folders/git-branch.ts'
import type { InstructionStart } from './read-instructions.ts'

export interface MemoryFolderOptions {
  /** The user's home: `~/.claude/CLAUDE.md` holds everywhere. */
  readonly home: string
  readonly dataFolder: string
}

export interface ProjectFolders {
  /** The folder with the instructions of all: the repository's, where there is one. Links resolved. */
  readonly top: string
  /** From the top to the folder itself, the farthest first. */
  readonly folders: readonly string[]
  /** What the data folder keeps for this project. */
  readonly kept: string
}

export async function projectFolders(
  folder: string,
  { dataFolder }: MemoryFolderOptions,
): Promise<ProjectFolders> {
  const start = resolve(folder)
  const top = (await findRepository(start))?.top ?? start
  const names = relative(top, start).split(sep).filter(Boolean)
  const real = await realpath(top).catch(() => top)
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
  return {
    top: real,
    folders: [top, ...names.map((_, index) => join(top, ...names.slice(0, index + 1)))],
    kept: join(dataFolder, 'projects', hash),
  }
}

const PROJECT_FILES = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md']

/** The files that an agent with this memory is given at its start, the farthest scope first. */
export function instructionStarts(
  project: ProjectFolders,
  {
    home,
    memory,
    trusted,
  }: { readonly home: string; readonly memory: MemoryScope | null; readonly trusted: boolean },
): readonly InstructionStart[] {
  const shared = trusted ? project.folders : []
  return [
    { path: join(home, '.claude', 'CLAUDE.md'), scope: 'user', inside: null },
    ...shared.flatMap((folder) =>
      PROJECT_FILES.map((file) => ({
        path: join(folder, file),
        scope: 'project' as const,
        inside: project.top,
      })),
    ),
    ...(memory === 'project' || memory === 'local'
      ? [{ path: join(project.kept, 'memory', 'MEMORY.md'), scope: 'project-user' as const, inside: null }]
      : []),
    ...(memory === 'local'
      ? [{ path: join(project.kept, 'local-memory', 'MEMORY.md'), scope: 'local' as const, inside: null }]
      : []),
  ]
}

/** The folder that is an agent's own: `below` the place of its scope, through no link. */
export function agentPlace(
  name: string,
  scope: MemoryScope,
  { home, project }: { readonly home: string; readonly project: ProjectFolders },
): { readonly location: string; readonly below: readonly string[] } {
  const below = ['agent-memory', agentSlug(name)]
  switch (scope) {
    case 'user':
      return { location: join(home, '.claude'), below }
    case 'project':
      return { location: project.top, below: ['.claude', ...below] }
    case 'local':
      return { location: project.kept, below }
  }
}
