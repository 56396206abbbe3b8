/**
 * Finds the folders that hold definitions and skills for a working folder, with their source, and checks that a file stays
 * below its folder, links resolved.
 */
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { AgentSource } from '../../../shared/agent-definition/agent-catalog.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isRepositoryTop } from '../../platform/system/is-repository-top.ts'
import { isBelow } from '../../platform/system/plain-text.ts'

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

/** The path of a new file in an agents folder. The folder must be inside `within`. */
export async function newLocation(
  base: string,
  within: string | null,
  path: string,
): Promise<Result<string>> {
  const parts = path.split('/')
  const isWrong = parts.some(
    (part) =>
      part === '' || part.startsWith('.') || /[\\:*?"<>|\u0000-\u001f]/.test(part) || part.length > 120,
  )
  if (isWrong || !path.endsWith('.md') || parts.length > 10)
    return fail({
      type: 'bad-path',
      message: `${JSON.stringify(path)} can’t be a file’s name here. Use letters, digits, - and _, and end it with .md.`,
    })
  const location = join(base, ...parts)
  if (!(await staysIn(base, dirname(location)))) return fail(leadsOut(location))
  if (within !== null && !(await staysIn(within, base))) return fail(leadsOut(base))
  return ok(location)
}

/** Whether the second folder, or its nearest existing parent, is in the first folder, links resolved. */
export async function staysIn(folder: string, inner: string): Promise<boolean> {
  const [real, there] = await Promise.all([nearestReal(folder), nearestReal(inner)])
  return there === real || isBelow(real, there)
}

/** The real path of a folder, or of its nearest existing parent. */
async function nearestReal(path: string): Promise<string> {
  for (let here = path; ; here = dirname(here)) {
    const real = await realpath(here).catch(() => null)
    if (real !== null || dirname(here) === here) return real ?? here
  }
}

/** The agents folder of a file, from the file's path below the folder. */
export function agentsFolderOf(file: string, path: string): string {
  return path.split('/').reduce((here) => dirname(here), file) || sep
}

/** The failure for a path that leads out of its folder. */
export const leadsOut = (path: string): Failure => ({
  type: 'bad-path',
  message: `${path} leads out of its folder through a link, so nothing was written. Remove the link first.`,
})
