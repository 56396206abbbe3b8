/** Finds the folders that hold definitions and skills for a working folder, with their source. */
import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AgentSource } from '../../../shared/agent-definition/agent-catalog.ts'
import { isRepositoryTop } from '../../platform/system/is-repository-top.ts'

/** Files from one source. */
export interface AgentFolder {
  readonly source: AgentSource
  /** The plugin's name, if the source is a plugin. */
  readonly plugin: string | null
  /** A folder, or one file. */
  readonly path: string
  /** The real folder that links must not leave; null: the agents folder itself. */
  readonly within: string | null
}

interface ProjectFolders {
  /** The repository's root, or the folder itself without a repository. */
  readonly root: string
  /** The folders from the working folder up to the root, without the home folder, whose agents are the user's. */
  readonly folders: readonly string[]
}

export async function projectFolders(folder: string, home: string): Promise<ProjectFolders> {
  const [start, realHome] = await Promise.all([realOf(folder), realOf(home)])
  const folders: string[] = []
  for (let here = start; ; here = dirname(here)) {
    folders.push(here)
    if (await isRepositoryTop(here))
      return { root: here, folders: folders.filter((each) => each !== realHome) }
    if (dirname(here) === here) return { root: start, folders: start === realHome ? [] : [start] }
  }
}

/** The folders for the administrator's definitions, which apply to all users. */
export function managedFolders(platform: NodeJS.Platform): readonly string[] {
  switch (platform) {
    case 'darwin':
      return [
        '/Library/Application Support/ClaudeCode/.claude/agents',
        '/Library/Application Support/Troupe/agents',
      ]
    case 'win32':
      return ['C:\\Program Files\\ClaudeCode\\.claude\\agents', 'C:\\Program Files\\Troupe\\agents']
    default:
      return ['/etc/claude-code/.claude/agents', '/etc/troupe/agents']
  }
}

export function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
