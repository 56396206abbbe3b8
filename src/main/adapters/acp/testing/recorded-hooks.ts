/** Hooks that record what they receive, and answer as a test says. */
import { type HookEvent, hookEvents } from '../../../../shared/hooks.ts'
import type { Interceptors } from '../../../runtime/interceptors.ts'
import { createHooks } from '../../hooks/create-hooks.ts'
import { readHooks } from '../../hooks/read-hooks.ts'

/** What a hook receives, with the field names of scripts: `agent_id`, `tool_name` … */
export type HookInput = Readonly<Record<string, unknown>>

/** The JSON that a hook writes; undefined: nothing. */
type Answer = (input: HookInput) => object | undefined

export interface RecordedHooks {
  readonly interceptors: Interceptors
  /** In the order of the runs. */
  readonly inputs: readonly HookInput[]
}

/** @param matchers by event; another event has a hook that always runs */
export function recordedHooks(
  answer: Answer = () => undefined,
  matchers: Partial<Record<HookEvent, string>> = {},
): RecordedHooks {
  const inputs: HookInput[] = []
  const configuration = Object.fromEntries(
    hookEvents.map((event) => [
      event,
      [{ matcher: matchers[event] ?? '', hooks: [{ type: 'command', command: 'check' }] }],
    ]),
  )
  const { hooks } = readHooks(configuration, 'a test')
  const entries = hooks.map((definition) => ({
    id: definition.event,
    source: 'user' as const,
    sourceText: 'user settings',
    file: null,
    state: 'on' as const,
    variables: {},
    definition,
  }))
  const interceptors = createHooks({
    environment: {},
    transcripts: async ({ transcriptPath }) => transcriptPath,
    configured: { read: async () => ({ entries, problems: [] }) },
    commands: {
      async run({ input }) {
        inputs.push(input as HookInput)
        const said = answer(input as HookInput)
        return { exitCode: 0, stdout: said === undefined ? '' : JSON.stringify(said), stderr: '' }
      },
      endAll: async () => {},
      killAllNow: () => {},
    },
  })
  return { interceptors, inputs }
}
