/** Composes the sandbox for commands with what its settings and the user's home name. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Settings } from '../shared/settings.ts'
import { type CreatedSandbox, createSandbox } from './adapters/sandbox/create-sandbox.ts'
import { sandboxScript, seccompProgram } from './adapters/sandbox/sandbox-script.ts'
import { findRipgrep } from './adapters/search/ripgrep-path.ts'
import { secretsOfHome } from './runtime/permissions/sensitive-files.ts'

interface SandboxParts {
  readonly dataFolder: string
  readonly home: string
  /** The folder with the program's files. */
  readonly programFolder: string
  readonly environment: Readonly<Record<string, string>>
  readonly settings: { readonly current: Settings }
  readonly onProblem: (message: string) => void
}

/** Files in the data folder that no command reads: keys, and who may send work. */
const OWN_SECRETS = [
  ...['api-key', 'provider-keys', 'mcp-tokens.json', 'sender-key.pem', 'trusted-senders'],
  ...['worker-policy.json', 'nats', 'link', 'window'],
]

export function composeSandbox({
  dataFolder,
  home,
  programFolder,
  environment,
  settings,
  onProblem,
}: SandboxParts): CreatedSandbox {
  const sandbox = createSandbox({
    script: sandboxScript(programFolder),
    seccomp: seccompProgram(programFolder),
    environment,
    home,
    tempFolder: tmpdir(),
    secrets: [...secretsOfHome(home), ...OWN_SECRETS.map((name) => join(dataFolder, name))],
    settings: () => settings.current.sandbox,
    ripgrep: findRipgrep,
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
