/** The folders of instructions and memory: in the project, in the user's home, and in the data folder. */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import type { MemoryScope } from '../../../shared/agent-definition/agent-definition.ts'
import { agentSlug } from '../../../shared/agent-definition/agent-slug.ts'
import { findRepository } from '../../platform/folders/folder-reader.ts'
import type { InstructionStart } from './read-instructions.ts'

export interface MemoryFolderOptions {
  /** The user's home: `~/.claude/CLAUDE.md` applies everywhere. */
  readonly home: string
  readonly dataFolder: string
}

export interface ProjectFolders {
  /** The top folder of the repository, or the folder itself without a repository. Links resolved. */
  readonly top: string
  /** From the top to the folder itself, the farthest first. */
  readonly folders: readonly string[]
  /** This project's folder in the data folder. */
  readonly kept: string
}

export async function memoryProjectFolders(
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

const PROJECT_FILES = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md', 'CLAUDE.local.md']

/** The instruction files for a new agent with this memory, the widest scope first. */
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

/** An agent's memory folder: the folder of its scope, and the path below it, which must contain no link. */
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
