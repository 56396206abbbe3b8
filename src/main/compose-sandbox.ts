/** Composes the sandbox for commands with what its settings and the user's home name. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
}: SandboxParts): CreatedSandbox {
  return createSandbox({
    script: sandboxScript(programFolder),
    seccomp: seccompProgram(programFolder),
    environment,
    home,
    tempFolder: tmpdir(),
    secrets: [...secretsOfHome(home), ...OWN_SECRETS.map((name) => join(dataFolder, name))],
    settings: () => settings.current.sandbox,
    ripgrep: findRipgrep,
  })
}
