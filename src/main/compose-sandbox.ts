/** Composes the sandbox for commands with what its settings and the user's home name. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Settings } from '../shared/settings.ts'
import type { Git } from './adapters/git/git-client.ts'
import { type CreatedSandbox, createSandbox } from './adapters/sandbox/create-sandbox.ts'
import { createPrivateGits } from './adapters/sandbox/private-git.ts'
import { sandboxScript, seccompProgram } from './adapters/sandbox/sandbox-script.ts'
import { secretsOfHome } from './runtime/permissions/sensitive-files.ts'
import { hasProtectedName, isProtected } from './runtime/permissions/startup-files.ts'

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
  readonly onProblem: (message: string) => void
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
    isProtected: (below) => hasProtectedName(basename(below)) && isProtected(below),
    approvedScripts,
    git: createPrivateGits({ store: join(dataFolder, 'private-git'), git }),
    settings: () => settings.current.sandbox,
  })
  const tellOnce = once(async () => {
    const state = await sandbox.state()
    if (!('message' in state) || !(await isNew(join(dataFolder, TOLD), state.message))) return
    onProblem(`${state.message} Until then, commands that can change something need permission.`)
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
