/** A shell whose commands run in the real sandbox, with a home of its own, for tests. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defaultSandboxSettings, type SandboxSettings } from '../../../../shared/settings/sandbox-settings.ts'
import { createGit } from '../../../platform/git/git-client.ts'
import { childEnvironment } from '../../../platform/shell/child-environment.ts'
import { createShell } from '../../../platform/shell/create-shell.ts'
import { isProtected, STARTUP_PATHS } from '../../../runtime/permissions/startup-files.ts'
import type { CommandLimits } from '../../../runtime/ports/sandbox.ts'
import type { ShellEnd } from '../../../runtime/ports/shell.ts'
import { type CreatedSandbox, createSandbox, type SandboxOptions } from '../create-sandbox.ts'
import { sandboxScript, seccompProgram } from '../feature.ts'
import { createPrivateGits } from '../private-git.ts'

const ROOT = join(import.meta.dirname, '../../../../..')

export const hasSandbox =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/socat')

export interface SandboxedShell {
  /** Contains everything else. */
  readonly base: string
  /** The agent's folder. */
  readonly folder: string
  readonly home: string
  readonly sandbox: CreatedSandbox
  settings: SandboxSettings
  /** Runs a command of an agent to its end. Throws if it did not start. */
  run(command: string, more?: Partial<CommandLimits>, signal?: AbortSignal): Promise<ShellEnd>
  /** Git of the user, outside the sandbox, in the folder or another. @returns its output without white space around */
  git(args: readonly string[], at?: string): string
  close(): Promise<void>
}

/** @param more options of the sandbox that are not those of a home in a folder for tests */
export function sandboxedShell(more: Partial<SandboxOptions> = {}): SandboxedShell {
  // The sandbox has its own devices, so memory folders below /dev are not in it.
  const base = realpathSync(mkdtempSync('/var/tmp/troupe-sandboxed-'))
  const [folder, home] = [join(base, 'project'), join(base, 'home')]
  const store = join(base, 'data', 'private-git')
  for (const path of [folder, home, store]) mkdirSync(path, { recursive: true })
  const environment = { ...childEnvironment(process.env), HOME: home }
  const sandbox = createSandbox({
    script: sandboxScript(ROOT),
    seccomp: seccompProgram(ROOT),
    environment,
    home,
    dataFolder: join(base, 'data'),
    tempFolder: '/var/tmp',
    secrets: [],
    isProtected,
    startupPaths: () => STARTUP_PATHS.project,
    git: createPrivateGits({ store, git: createGit({ environment }) }),
    settings: () => its.settings,
    ...more,
  })
  const shell = createShell({ environment, confine: sandbox.confine })
  const its: SandboxedShell = {
    base,
    folder,
    home,
    sandbox,
    settings: defaultSandboxSettings,
    async run(command, limits = {}, signal = new AbortController().signal) {
      const all = {
        ...{ folder, reads: [], writes: [limits.folder ?? folder], domains: [], refusedDomains: [] },
        ...{ agentId: 'a-1', ...limits },
      }
      const cwd = all.folder
      const run = { command, cwd, timeoutMs: 60_000, signal, onOutput() {}, limits: all }
      const ended = await shell.shell.run(run)
      if (!ended.ok) throw new Error(ended.failure.message)
      return ended.value
    },
    git: (args, at = folder) =>
      execFileSync('git', args, {
        cwd: at,
        stdio: 'pipe',
        encoding: 'utf8',
        env: { ...process.env, HOME: home },
      }).trim(),
    async close() {
      await shell.killAll()
      await sandbox.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
  return its
}
