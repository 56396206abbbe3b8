/** Composes the sandbox for commands with what its settings and the user's home name. */

import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import { secretsOfHome } from '../../runtime/paths/sensitive-files.ts'
import {
  hasProtectedName,
  isProtected,
  STARTUP_PATHS,
  type StartupPath,
} from '../../runtime/permissions/startup-files.ts'
import { type CreatedSandbox, createSandbox, type SandboxOptions } from './create-sandbox.ts'
import { createPrivateGits } from './private-git.ts'

interface SandboxParts {
  readonly dataFolder: string
  readonly home: string
  /** The folder with the program's files. */
  readonly programFolder: string
  readonly environment: Readonly<Record<string, string>>
  /** The socket of the user's ssh agent. */
  readonly sshAgent: string | null
  readonly settings: { readonly current: Settings }
  readonly git: Git
  /** The files of a folder that its hooks, servers and status line name. */
  readonly approvedScripts: (folder: string) => Promise<readonly string[]>
  readonly onProblem: (message: string, about?: 'sandbox') => void
  readonly imageOf: NonNullable<SandboxOptions['imageOf']>
}

/** Files of the system that only its administrator reads, which a command of root would read too. */
const SECRETS_OF_THE_SYSTEM = [
  ...['shadow', 'gshadow', 'sudoers', 'sudoers.d', 'ssl/private', 'krb5.keytab', 'wireguard', 'ppp'],
  ...[
    'NetworkManager/system-connections',
    'ssh/ssh_host_rsa_key',
    'ssh/ssh_host_ed25519_key',
    'docker/certs.d',
  ],
].map((name) => `/etc/${name}`)

export function composeSandbox({
  dataFolder,
  home,
  programFolder,
  environment,
  sshAgent,
  settings,
  git,
  approvedScripts,
  onProblem,
  imageOf,
}: SandboxParts): CreatedSandbox {
  const sandbox = createSandbox({
    script: sandboxScript(programFolder),
    seccomp: seccompProgram(programFolder),
    environment,
    sshAgent,
    home,
    tempFolder: tmpdir(),
    dataFolder,
    secrets: [...secretsOfHome(home), ...SECRETS_OF_THE_SYSTEM],
    isProtected: (below, absolute) =>
      (hasProtectedName(basename(below)) && isProtected(below)) || isCargoSettings(absolute),
    startupPaths: (folder) => startupPathsOf(folder, realFolderOf(home) ?? home),
    approvedScripts,
    imageOf,
    git: createPrivateGits({ store: join(dataFolder, 'private-git'), git }),
    settings: () => settings.current.sandbox,
  })
  const tellOnce = once(async () => {
    const state = await sandbox.state()
    if (!('message' in state) || !(await isNew(join(dataFolder, TOLD), state.message))) return
    onProblem(`${state.message} Until then, commands that can change something need permission.`, 'sandbox')
  })
  return {
    ...sandbox,
    async policy(folder) {
      const policy = await sandbox.policy(folder)
      if (policy === null && settings.current.sandbox.enabled) await tellOnce()
      return policy
    },
  }
}

/** Those of a project, and of the home where it is in the folder. */
function startupPathsOf(folder: string, home: string): readonly StartupPath[] {
  if (folder !== home && !isBelow(folder, home)) return STARTUP_PATHS.project
  const below = relative(folder, home)
  const ofHome = [...STARTUP_PATHS.home, ...STARTUP_PATHS.project.filter(({ path }) => path !== '.cargo')]
  return [...STARTUP_PATHS.project, ...ofHome.map(({ path, kind }) => ({ path: join(below, path), kind }))]
}

/** A project's folder of settings for Cargo, and not the one with its downloads. */
const isCargoSettings = (path: string): boolean =>
  basename(path) === '.cargo' && !['registry', 'bin'].some((name) => existsSync(join(path, name)))

/** The file with what the user was told last. */
const TOLD = 'sandbox-told'

/** Whether the user was not told this at an earlier start. Notes it. */
async function isNew(file: string, message: string): Promise<boolean> {
  if ((await readFile(file, 'utf8').catch(() => '')) === message) return false
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, message).catch(() => undefined)
  return true
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}

/** The script of the thread: beside this file in the sources, in `out` of the built program. */
export function sandboxScript(programFolder: string): string {
  return import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./sandbox.worker.ts', import.meta.url))
    : join(programFolder, 'out', 'sandbox.mjs')
}

/** The program that keeps a command from local sockets; null where there is none for this processor. */
export function seccompProgram(programFolder: string): string | null {
  const folder = import.meta.url.endsWith('.ts')
    ? join(programFolder, 'node_modules', '@anthropic-ai', 'sandbox-runtime', 'vendor', 'seccomp')
    : join(programFolder, 'out', 'seccomp')
  const path = join(folder, process.arch, 'apply-seccomp')
  return existsSync(path) ? path : null
}
