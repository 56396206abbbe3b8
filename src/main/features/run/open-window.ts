/** `troupe [FOLDER]`: opens the window, which is another program. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { EnvironmentAccess } from '../../../shared/models/model-access.ts'
import type { CommandLineRoot } from '../../command-line.ts'
import { folderAt } from '../../platform/command-line/given-paths.ts'
import { complain, EXIT } from '../../platform/command-line/terminal.ts'
import { type RunRules, wrongStart } from './run-rules.ts'

/** The values of `troupe [FOLDER]`. */
interface WindowOptions {
  readonly folder: string | null
  /** Permission rules until the window's program ends, as given. */
  readonly rules: RunRules
  /** Files with MCP servers until the window's program ends. */
  readonly mcpConfig: readonly string[]
}

/** Opens the window with the checkout's start script, and ends with the window. @returns the exit code */
export async function window(root: CommandLineRoot, { folder: path, rules, mcpConfig }: WindowOptions) {
  const found = path === null ? null : folderAt(path)
  if (found !== null && !found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found?.value ?? null
  const start = { rules, mcpConfig: mcpConfig.map((file) => resolve(file)) }
  const wrong = wrongStart(start)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const script = join(root.programFolder, 'scripts', 'run.mjs')
  if (!existsSync(script))
    return complain('There is no window here: start the Troupe app, and open the folder there.', EXIT.usage)
  const keys = root.given.api
  const closed = await openWindow(script, { folder, ...start, keys, environment: process.env })
  return closed.ok ? closed.value : complain(closed.failure.message, EXIT.failed)
}

/** Opens the window with the start script of a checkout. Resolves to the exit code when the window was closed. */
export function openWindow(
  script: string,
  {
    folder,
    rules,
    mcpConfig,
    keys: { key, authToken },
    environment,
  }: {
    readonly folder: string | null
    readonly rules: { readonly allow: readonly string[]; readonly deny: readonly string[] }
    /** Absolute. */
    readonly mcpConfig: readonly string[]
    readonly keys: EnvironmentAccess
    /** Without keys. */
    readonly environment: Readonly<NodeJS.ProcessEnv>
  },
): Promise<Result<number>> {
  const args = [
    ...(folder === null ? [] : [folder]),
    ...rules.allow.map((rule) => `--allow=${rule}`),
    ...rules.deny.map((rule) => `--deny=${rule}`),
    ...mcpConfig.map((file) => `--mcp-config=${file}`),
  ]
  const child = spawn(process.execPath, [script, 'start', ...args], {
    cwd: dirname(dirname(script)),
    env: {
      ...environment,
      ...(key !== null && { ANTHROPIC_API_KEY: key }),
      ...(authToken !== null && { ANTHROPIC_AUTH_TOKEN: authToken }),
    },
    stdio: 'inherit',
  })
  return new Promise((done) => {
    child.on('error', ({ message }) =>
      done(fail({ type: 'io', message: `The window did not open: ${message}` })),
    )
    child.on('exit', (code) => done(ok(code ?? EXIT.failed)))
  })
}
