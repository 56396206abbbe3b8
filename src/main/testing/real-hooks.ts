/** Real hooks for tests: settings files in a folder of their own, real processes, and a scripted model. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentEventType, EventOf } from '../../shared/events/agent-event.ts'
import { composeHooks } from '../features/hooks/feature.ts'
import { createSettingsLayers } from '../features/settings/settings-layers.ts'
import { createApprovals } from '../platform/approvals/approvals.ts'
import { createNodeFileSystem } from '../platform/files/node-file-system.ts'
import { createTranscriptStore } from '../platform/transcripts/create-transcript-store.ts'
import { type Call, echo, script } from '../runtime/testing/scripts.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from '../runtime/testing/test-runtime.ts'

/** Writes a file below the ground, and its folders. */
type Put = (path: string, content: string | object) => string

export function ground({ trusted = true } = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-hooks-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const put: Put = (path, content) => {
    const file = join(top, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o755 })
    return file
  }
  const folder = join(top, 'project')
  mkdirSync(folder)
  const dataFolder = join(top, 'data')
  const plugins: string[] = []
  const changedPlugins: string[] = []
  const may = { allow: false }
  const store = createTranscriptStore({ dataFolder, clock: realClock })
  const isTrusted = () => trusted
  const hooks = composeHooks({
    ...{ now: Date.now, elapsed: () => performance.now() },
    dataFolder,
    layers: createSettingsLayers({
      dataFolder,
      home: join(top, 'home'),
      managed: [join(top, 'managed.json')],
    }),
    isTrusted,
    plugins: () => plugins,
    changedPlugins: () => changedPlugins,
    definitions: { load: async () => ({ definitions: [], problems: [] }) },
    store,
    owner: { id: `${process.pid}-0`, begin: async () => {}, end: async () => {} },
    environment: { PATH: process.env['PATH'] ?? '', HOME: join(top, 'home') },
    mayAllow: () => may.allow,
  })
  onTestFinished(() => hooks.close())
  const log = join(top, 'log.jsonl')
  return {
    top,
    put,
    folder,
    hooks,
    store,
    plugins,
    changedPlugins,
    /** What the user's settings let hooks do. */
    may,
    approvals: createApprovals({ dataFolder }),
    /** Hooks of the user's settings. */
    user: (configured: object, more: object = {}) =>
      put('home/.claude/settings.json', { hooks: configured, ...more }),
    /** A command that logs its input. */
    logger: `cat >> ${log}`,
    logged: (): Record<string, unknown>[] =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  }
}
export type Ground = ReturnType<typeof ground>

export const on = (event: string, matcher: string, command: string, more: object = {}) => ({
  [event]: [{ matcher, hooks: [{ type: 'command', command, ...more }] }],
})

interface RunOptions extends Partial<TestOptions> {
  readonly permissionMode?: 'default'
  /** Called when the first message was sent. */
  readonly during?: (troupe: TestRuntime, conversationId: string) => Promise<unknown>
}

/** Runs one main agent with these calls; `/project` in them is the folder. */
export async function run(
  { hooks, folder, store }: Ground,
  calls: readonly Call[],
  options: RunOptions = {},
): Promise<TestRuntime> {
  const here: readonly Call[] = JSON.parse(JSON.stringify(calls).replaceAll('"/project/', `"${folder}/`))
  const { permissionMode = 'bypassPermissions', during, ...more } = options
  const troupe = createTestRuntime({
    script: script([{ calls: here }, echo], echo),
    policy: { bypassAllowed: () => true },
    ...more,
    ports: {
      clock: realClock,
      store,
      files: createNodeFileSystem(),
      ...more.ports,
      interceptors: hooks.interceptors,
    },
  })
  try {
    const id = await troupe.begin('Go', { folder, permissionMode })
    await during?.(troupe, id)
    await troupe.runtime.settled(id)
    return troupe
  } finally {
    await troupe.runtime.close()
  }
}

const realClock = {
  now: () => Date.now(),
  sleep: (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    }),
}

export const of = <T extends AgentEventType>({ events }: TestRuntime, type: T): readonly EventOf<T>[] =>
  events.filter((event): event is EventOf<T> => event.type === type)

export const BASH: Call = ['Bash', { command: 'ls' }]
export const bash = (command: string): Call => ['Bash', { command }]

export function answer(specific: object): string {
  return `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...specific } })}'`
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')
  } catch {
    return false
  }
}
