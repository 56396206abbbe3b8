/** `troupe [FOLDER]`: opens the window, which is another program. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
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

/** Opens the window of a checkout or of an installed app, and ends with the window. @returns the exit code */
export async function window(root: CommandLineRoot, { folder: path, rules, mcpConfig }: WindowOptions) {
  const found = path === null ? null : folderAt(path)
  if (found !== null && !found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found?.value ?? null
  const start = { rules, mcpConfig: mcpConfig.map((file) => resolve(file)) }
  const wrong = wrongStart(start)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  const program = windowProgram(root.programFolder)
  if (program === null)
    return complain('There is no window here: start the Troupe app, and open the folder there.', EXIT.usage)
  const hindrance = program.needs ? whatKeepsWindow(process.env) : null
  if (hindrance !== null) return complain(`${hindrance} Without a window: troupe run "TASK"`, EXIT.failed)
  const keys = root.given.api
  const closed = await openWindow(program, { folder, ...start, keys, environment: process.env })
  return closed.ok ? closed.value : complain(closed.failure.message, EXIT.failed)
}

interface WindowProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Whether it provides no display and no sandbox itself. */
  readonly needs: boolean
}

/** What opens a window: the start script of a checkout, or the app that this command line belongs to; null: neither. */
function windowProgram(programFolder: string): WindowProgram | null {
  const script = join(programFolder, 'scripts', 'run.mjs')
  if (existsSync(script))
    return { command: process.execPath, args: [script, 'start'], cwd: programFolder, needs: false }
  if (process.versions['electron'] === undefined) return null
  return { command: process.execPath, args: [], cwd: process.cwd(), needs: true }
}

/** Why the app can't open a window here, as a sentence; null: nothing is known. */
function whatKeepsWindow({ DISPLAY, WAYLAND_DISPLAY }: Readonly<NodeJS.ProcessEnv>): string | null {
  if (process.platform !== 'linux') return null
  if (!DISPLAY && !WAYLAND_DISPLAY) return 'There is no display here for the window.'
  return process.getuid?.() === 0
    ? 'The window needs an ordinary user: its sandbox does not work as root.'
    : null
}

/** Opens the window. Resolves to the exit code when the window was closed. */
export function openWindow(
  { command, args: first, cwd }: Omit<WindowProgram, 'needs'>,
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
  const { ELECTRON_RUN_AS_NODE: _, ...forWindow } = environment
  const child = spawn(command, [...first, ...args], {
    cwd,
    env: {
      ...forWindow,
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
