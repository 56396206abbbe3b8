/** Hooks that record what they receive, and answer as a test says. */
import { type HookEvent, type HookSource, hookEvents } from '../../../../shared/hooks/hooks.ts'
import type { Interceptors } from '../../../runtime/ports/interceptors.ts'
import type { ConfiguredHook, OwnHooks } from '../configured-hooks.ts'
import { createHooks } from '../create-hooks.ts'
import { readHooks } from '../read-hooks.ts'
import type { CommandHook } from '../run-command-hook.ts'

/** What a hook receives, with the field names of scripts: `agent_id`, `tool_name` … */
export type HookInput = Readonly<Record<string, unknown>>

/** The JSON that a hook writes; undefined: nothing. */
type Answer = (input: HookInput, hook: CommandHook) => object | undefined | Promise<object | undefined>

interface RecordedHooks {
  readonly interceptors: Interceptors
  /** In the order of the runs. */
  readonly inputs: readonly HookInput[]
}

export interface RecordedOptions {
  readonly answer?: Answer
  /** By event; another event has a hook that always runs. */
  readonly matchers?: Partial<Record<HookEvent, string>>
  /** The hooks as settings write them; missing: one for each event. */
  readonly configured?: object
  readonly source?: HookSource
  /** Whether the user's settings let hooks allow calls. */
  readonly mayAllow?: boolean
}

export function recordedHooks({
  answer = () => undefined,
  matchers = {},
  configured,
  source = 'user',
  mayAllow = false,
}: RecordedOptions = {}): RecordedHooks {
  const inputs: HookInput[] = []
  const everything = Object.fromEntries(
    hookEvents.map((event) => [
      event,
      [{ matcher: matchers[event] ?? '', hooks: [{ type: 'command', command: 'check' }] }],
    ]),
  )
  const entriesOf = (hooks: unknown, own: OwnHooks | null): ConfiguredHook[] =>
    readHooks(hooks, 'a test').hooks.map((definition, at) => ({
      id: `${definition.event} ${at}`,
      source: own === null ? source : 'agent',
      sourceText: 'user settings',
      file: null,
      state: 'on',
      variables: {},
      definition: own === null ? definition : { ...definition, agent: own.agent },
    }))
  const interceptors = createHooks({
    environment: {},
    transcripts: async ({ transcriptPath }) => transcriptPath,
    settingsFiles: () => [],
    mayAllow: () => mayAllow,
    elapsed: () => 0,
    configured: {
      read: async (_folder, own) => ({
        entries: [...entriesOf(configured ?? everything, null), ...(own ? entriesOf(own.hooks, own) : [])],
        problems: [],
      }),
    },
    commands: {
      async run(hook) {
        const input = hook.input as HookInput
        inputs.push(input)
        const said = await answer(input, hook)
        return { exitCode: 0, stdout: said === undefined ? '' : JSON.stringify(said), stderr: '' }
      },
      endAll: async () => {},
      killAllNow: () => {},
    },
  })
  return { interceptors, inputs }
}
