import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { EnvironmentAccess } from '../../../shared/models/model-access.ts'
import { EXIT } from './usage.ts'

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
