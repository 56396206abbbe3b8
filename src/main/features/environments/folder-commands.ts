/**
 * The commands of a repository, and what the user decided about them. They are read from the user's own checkout, never
 * from a worktree, where agents write; an approval holds for the commands with the scripts that they name.
 */
import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { COMMAND_FILES } from '../../../shared/environments/command-files.ts'
import { hasCommands } from '../../../shared/environments/environment.ts'
import type { CommandApproval, FolderCommands } from '../../../shared/environments/environments.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import { type Approvable, type Approvals, definitionDigest } from '../../platform/approvals/approvals.ts'
import { scriptVersions, withScripts } from '../../platform/approvals/named-scripts.ts'
import { fileVersion } from '../../platform/system/file-version.ts'

export interface FolderCommandsReader {
  /** @param folder the top of the user's checkout, trusted */
  read(folder: string): Promise<FolderCommands>
  /** Fails with `moved`, `none` or `io`. */
  decide(folder: string, digest: string, decision: 'approved' | 'refused'): Promise<Result<void>>
  /** Whether the scripts that the commands name are the same in a worktree as they were approved. */
  sameScripts(commands: FolderCommands, worktree: string): boolean
}

/** Bytes of one file. Of a lock file, the beginning says what its packages come from. */
const MOST_READ = 4 * 1024 * 1024

/** @param registryOf the host of the registry that a package manager uses; null: it is not here, or does not say */
export function createFolderCommands(
  approvals: Approvals,
  registryOf: (manager: 'npm' | 'yarn') => Promise<string | null>,
): FolderCommandsReader {
  const known = new Map<string, { readonly key: string; readonly found: FolderCommands }>()

  async function read(folder: string): Promise<FolderCommands> {
    const versions = COMMAND_FILES.map((name) => fileVersion(join(folder, name))).join('\n')
    const before = known.get(folder)
    const scripts = before === undefined ? '' : scriptVersions(folder, [before.found.commands])
    const found =
      before?.key === `${versions}\n${scripts}`
        ? before.found
        : { ...(await readNow(folder, registryOf)), approval: NONE }
    known.set(folder, { key: `${versions}\n${scriptVersions(folder, [found.commands])}`, found })
    return { ...found, approval: await approvalOf(folder, found) }
  }

  async function approvalOf(folder: string, found: FolderCommands): Promise<CommandApproval> {
    if (found.problems.length > 0) return { state: 'invalid' }
    return hasCommands(found.commands) ? await approvals.of(folder, approvable(folder, found)) : NONE
  }

  return {
    read,
    async decide(folder, digest, decision) {
      const found = await read(folder)
      if (found.approval.state === 'none' || found.approval.state === 'invalid')
        return fail({
          type: 'none',
          message: found.problems[0] ?? 'This folder has no commands to decide about.',
        })
      if (found.digest !== digest)
        return fail({
          type: 'moved',
          message: 'The commands have just changed, so nothing was decided. Look at them again.',
        })
      return approvals.decide(folder, approvable(folder, found), decision)
    },
    sameScripts: ({ folder, commands }, worktree) =>
      JSON.stringify(withScripts(folder, commands).scripts) ===
      JSON.stringify(withScripts(worktree, commands).scripts),
  }
}

const NONE: CommandApproval = { state: 'none' }

const approvable = (folder: string, { commands }: Pick<FolderCommands, 'commands'>): Approvable => ({
  kind: 'environment',
  name: 'commands',
  definition: withScripts(folder, commands),
})

async function readNow(
  folder: string,
  registryOf: (manager: 'npm' | 'yarn') => Promise<string | null>,
): Promise<Omit<FolderCommands, 'approval'>> {
  const files = await Promise.all(
    COMMAND_FILES.map(async (name) => [name, await startOf(join(folder, name))] as const),
  )
  const texts = new Map(files.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])))
  const { findCommands } = await import('../../../shared/environments/found-commands.ts')
  const asked: ('npm' | 'yarn')[] = []
  findCommands(texts, (manager) => {
    asked.push(manager)
    return null
  })
  const hosts = new Map<string, string | null>()
  for (const manager of new Set(asked)) hosts.set(manager, await registryOf(manager))
  const found = findCommands(texts, (manager) => hosts.get(manager) ?? null)
  const { definition } = approvable(folder, found)
  const scripts = Object.keys(withScripts(folder, found.commands).scripts ?? {})
  return { ...found, folder, digest: definitionDigest(definition), scripts }
}

/** Null: it is not there, or no file. */
async function startOf(path: string): Promise<string | null> {
  const handle = await open(path, 'r').catch(() => null)
  if (handle === null) return null
  try {
    const found = await handle.stat()
    if (!found.isFile()) return null
    const length = Math.min(found.size, MOST_READ)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await handle.close()
  }
}

/** Asks the package managers themselves, in the home folder, where no repository has a say. Each is asked once. */
export function createRegistries(
  environment: Readonly<NodeJS.ProcessEnv>,
  home: string,
): (manager: 'npm' | 'yarn') => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>()
  return (manager) => {
    const asked = known.get(manager) ?? registryOf(manager, environment, home)
    known.set(manager, asked)
    return asked
  }
}

function registryOf(
  manager: string,
  environment: Readonly<NodeJS.ProcessEnv>,
  home: string,
): Promise<string | null> {
  return new Promise((resolve) => {
    // npm makes folders for a cache and logs otherwise, also to answer this.
    const env = { ...environment, npm_config_cache: devNull, npm_config_logs_max: '0' }
    const options = { cwd: home, env, timeout: 10_000 }
    execFile(manager, ['config', 'get', 'registry'], options, (_, output) => {
      resolve(URL.canParse(output.trim()) ? new URL(output.trim()).hostname : null)
    })
  })
}
