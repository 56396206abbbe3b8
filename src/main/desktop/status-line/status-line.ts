/**
 * Runs the status line's command when its input may have changed, and pushes the output or the reason for
 * an empty status line.
 */
import type { AgentEventType } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type {
  StatusLineContent,
  StatusLineExtras,
  StatusLineRun,
  StatusLineTrial,
} from '../../../shared/status-line/contract.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { SettingsPort, StatusLinePort, SubscriptionListener } from '../services.ts'
import { createRunRate } from './run-rate.ts'
import { mainAgentOf, statusLineFacts } from './status-line-facts.ts'

export interface StatusLineService extends SubscriptionListener {
  /** Starts over for a page that has just loaded. */
  begin(): void
  /** Call this when settings, folder or branch may have changed. */
  update(): void
  onDelta(delta: RuntimeDelta): void
  /** Nothing runs while the window is invisible. */
  setVisible(visible: boolean): void
  /** Runs a command once. Fails with `no-folder` or `not-trusted`. */
  test(command: string): Promise<Result<StatusLineTrial>>
  stop(): void
}

interface StatusLineOptions {
  readonly runner: StatusLinePort
  readonly settings: Pick<SettingsPort, 'current' | 'trusts'>
  /** The real path of the open folder. */
  readonly folder: () => string | null
  readonly branchOf: (folder: string) => Promise<string | null>
  readonly snapshot: (
    conversationId: string,
  ) => Promise<Result<Pick<ConversationSnapshot, 'record' | 'agents'>>>
  /** What only the program knows. `main`: the main agent of the conversation on the screen; null: there is none. */
  readonly extras: (folder: string, main: AgentState | null) => Promise<StatusLineExtras>
  /** Of Troupe. */
  readonly version: string
  /** Why the command must not run now, as a sentence: a script of the folder that it names has changed. */
  readonly waits?: (command: string, folder: string) => Promise<string | null>
  readonly push: (content: StatusLineContent) => void
  readonly visible: boolean
  /** A monotonic clock in ms. */
  readonly now: () => number
  /** ms since the epoch. */
  readonly timeNow: () => number
}

/** Events that change the command's input. */
const COUNTED: ReadonlySet<AgentEventType> = new Set([
  'agent-spawned',
  'status-changed',
  'assistant-message',
  'model-asked',
  'permission-asked',
  'form-opened',
  'permission-answered',
  'model-changed',
  'effort-changed',
  'permission-mode-changed',
  'context-compacted',
  'agent-ended',
])

export function createStatusLine(options: StatusLineOptions): StatusLineService {
  const { runner, settings } = options
  let visible = options.visible
  let lastPushed: StatusLineContent = NOTHING
  /** The wanted run at the last update, as JSON. */
  let seen = ''
  /** The conversations that the window subscribes to; the last one is on the screen. */
  let followed: readonly { readonly id: string; title: string | null }[] = []

  const wanted = () => {
    const command = settings.current.statusLine?.command.trim() ?? ''
    const folder = options.folder()
    if (command === '' || folder === null) return null
    return { command, folder, trusted: settings.trusts(folder) }
  }
  const show = (content: StatusLineContent): void => {
    if (content.text === lastPushed.text && content.problem === lastPushed.problem) return
    lastPushed = content
    options.push(content)
  }

  const gather = async (folder: string): Promise<string> => {
    const shown = followed.at(-1)
    const [branch, snapshot] = await Promise.all([
      options.branchOf(folder).catch(() => null),
      shown === undefined ? null : options.snapshot(shown.id),
    ])
    const known = snapshot?.ok ? snapshot.value : null
    const extras = await options.extras(folder, mainAgentOf(known))
    const location = {
      folder,
      branch,
      model: settings.current.model,
      version: options.version,
      now: options.timeNow(),
    }
    return JSON.stringify(statusLineFacts(location, known, extras))
  }
  const run = async (): Promise<boolean> => {
    const location = wanted()
    if (!location?.trusted) return true
    const mine = seen
    const input = await gather(location.folder)
    // The command or the folder changed; a run for them is scheduled.
    if (mine !== seen) return true
    if (!visible) {
      rate.request()
      return true
    }
    const problem = (await options.waits?.(location.command, location.folder)) ?? null
    if (problem !== null) {
      if (mine === seen) show({ text: null, problem })
      return true
    }
    const content = runText(await runner.run({ command: location.command, folder: location.folder, input }))
    if (mine !== seen) return true
    show(content)
    return content.problem === null
  }
  const rate = createRunRate({ run, now: options.now })
  rate.pause(!visible)

  const update = (): void => {
    const location = wanted()
    const now = JSON.stringify(location)
    if (now !== seen) {
      seen = now
      rate.resetBackoff()
      // The output of another command or folder is out of date.
      show(location?.trusted === false ? { text: null, problem: STATUS_LINE_UNTRUSTED } : NOTHING)
    }
    if (location?.trusted) rate.request()
  }

  return {
    update,
    begin() {
      followed = []
      update()
      options.push(lastPushed)
    },
    subscribed(id) {
      followed = [...followed.filter((other) => other.id !== id), { id, title: null }]
      update()
    },
    unsubscribed(id) {
      followed = followed.filter((other) => other.id !== id)
      update()
    },
    onDelta(delta) {
      const shown = followed.at(-1)
      if (shown === undefined) return
      if (delta.type === 'event') {
        if (delta.conversationId === shown.id && COUNTED.has(delta.event.type)) update()
      } else if (delta.type === 'conversation' && delta.summary.id === shown.id) {
        if (shown.title !== null && shown.title !== delta.summary.title) update()
        shown.title = delta.summary.title
      }
    },
    setVisible(now) {
      visible = now
      rate.pause(!visible)
    },
    async test(command) {
      const folder = options.folder()
      if (folder === null)
        return fail({
          type: 'no-folder',
          message:
            'No folder is open, and the status line’s command runs in the open folder. Open a folder first.',
        })
      if (!settings.trusts(folder))
        return fail({
          type: 'not-trusted',
          message: `${STATUS_LINE_UNTRUSTED} Trust it first, or open another folder.`,
        })
      const waits = (await options.waits?.(command, folder)) ?? null
      if (waits !== null) return fail({ type: 'waits', message: waits })
      const ended = await runner.run({ command, folder, input: await gather(folder) })
      const { problem } = runText(ended)
      if (problem === null && wanted()?.command === command) {
        rate.resetBackoff()
        update()
      }
      return ok({ output: ended.output, problem, exitCode: ended.exitCode, ms: ended.ms })
    },
    stop: () => rate.stop(),
  }
}

const NOTHING: StatusLineContent = { text: null, problem: null }

/** The reason for an empty status line in an untrusted folder. */
export const STATUS_LINE_UNTRUSTED =
  'The status line’s command does not run here, because the folder is not trusted.'

/** Characters quoted from an error message. */
const LONGEST_QUOTE = 300
/** Terminal control sequences: alone they print nothing. */
const SEQUENCE = /\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g

/** Turns one run of the status line's command into the content of the status line. */
export function runText(run: StatusLineRun): StatusLineContent {
  const problem = problemOf(run)
  return problem === null ? { text: run.output.trimEnd(), problem } : { text: null, problem }
}

function problemOf({ ended, exitCode, output, errors }: StatusLineRun): string | null {
  if (ended === 'not-started')
    return `The status line’s command could not be started: ${quoted(errors) ?? 'the system gave no reason'}. Check that the folder and your shell exist.`
  if (ended === 'too-slow')
    return `The status line’s command took longer than 1 second and was stopped. Make it faster, or let it print a file that another program updates.`
  const said = quoted(errors)
  if (exitCode === null)
    return `The status line’s command was ended by a signal${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (exitCode === 127)
    return `The status line’s command was not found${said === null ? '' : `: ${said}`}. Check its name, or give its whole path.`
  if (exitCode !== 0)
    return `The status line’s command failed with exit code ${exitCode}${said === null ? '' : `: ${said}`}. Try it in a terminal in this folder.`
  if (output.replace(SEQUENCE, '').trim() === '')
    return `The status line’s command printed nothing. Let it print one line${said === null ? '' : ` (it wrote to standard error: ${said})`}.`
  return null
}

/** The first line that is not empty. */
function quoted(text: string): string | null {
  const line = text
    .replace(SEQUENCE, '')
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined) return null
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}”`
}
