/**
 * Keeps what the status line says true: knows when its command is to run, in which folder, with which facts,
 * and tells the window what it printed or why it printed nothing.
 */
import type { AgentEventType } from '../../../shared/agent-event.ts'
import type { ConversationSnapshot, StatusLineTrial } from '../../../shared/ipc-contract.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { RuntimeDelta } from '../../runtime/runtime.ts'
import type { Following } from '../commands/conversations.ts'
import type { SettingsPort, StatusLinePort } from '../services.ts'
import { createRunRate } from './run-rate.ts'
import { statusLineFacts } from './status-line-facts.ts'
import { NOTHING, type StatusLineWords, UNTRUSTED, wordsOfRun } from './status-line-words.ts'

export interface StatusLine extends Following {
  /** A page that knows nothing yet: it is told what there is. */
  begin(): void
  /** Something that it depends on may have changed: settings, folder, branch. */
  look(): void
  hear(delta: RuntimeDelta): void
  /** For a window that nobody sees nothing is started. */
  setVisible(visible: boolean): void
  /** Runs a command once. Failures: `no-folder`, `not-trusted`. */
  test(command: string): Promise<Result<StatusLineTrial>>
  stop(): void
}

export interface StatusLineOptions {
  readonly runner: StatusLinePort
  readonly settings: Pick<SettingsPort, 'current'>
  /** The open folder, by its real path. */
  readonly folder: () => string | null
  readonly branchOf: (folder: string) => Promise<string | null>
  readonly snapshot: (
    conversationId: string,
  ) => Promise<Result<Pick<ConversationSnapshot, 'record' | 'agents'>>>
  readonly tell: (words: StatusLineWords) => void
  readonly visible: boolean
  /** Milliseconds that never run backwards. */
  readonly now: () => number
}

/** Events after which the figures are others. */
const COUNTED: ReadonlySet<AgentEventType> = new Set([
  'agent-spawned',
  'status-changed',
  'assistant-message',
  'permission-asked',
  'permission-answered',
  'model-changed',
  'agent-ended',
])

export function createStatusLine(options: StatusLineOptions): StatusLine {
  const { runner, settings } = options
  let visible = options.visible
  let told: StatusLineWords = NOTHING
  /** What was to be run when it was last looked. */
  let seen = ''
  /** The conversations that the window follows; the last one is on the screen. */
  let followed: readonly { readonly id: string; title: string | null }[] = []

  const wanted = () => {
    const command = settings.current.statusLine?.command.trim() ?? ''
    const folder = options.folder()
    if (command === '' || folder === null) return null
    return { command, folder, trusted: settings.current.trustedFolders.includes(folder) }
  }
  const say = (words: StatusLineWords): void => {
    if (words.text === told.text && words.problem === told.problem) return
    told = words
    options.tell(words)
  }

  const gather = async (folder: string): Promise<string> => {
    const shown = followed.at(-1)
    const [branch, snapshot] = await Promise.all([
      options.branchOf(folder).catch(() => null),
      shown === undefined ? null : options.snapshot(shown.id),
    ])
    const place = { folder, branch, model: settings.current.model }
    return JSON.stringify(statusLineFacts(place, snapshot?.ok ? snapshot.value : null))
  }
  const run = async (): Promise<boolean> => {
    const place = wanted()
    if (!place?.trusted) return true
    const mine = seen
    const input = await gather(place.folder)
    // Another command or folder is on its way with a run of its own.
    if (mine !== seen) return true
    if (!visible) {
      rate.soon()
      return true
    }
    const words = wordsOfRun(await runner.run({ command: place.command, folder: place.folder, input }))
    if (mine !== seen) return true
    say(words)
    return words.problem === null
  }
  const rate = createRunRate({ run, now: options.now })
  rate.pause(!visible)

  const look = (): void => {
    const place = wanted()
    const now = JSON.stringify(place)
    if (now !== seen) {
      seen = now
      rate.forgive()
      // What another command said, or the same elsewhere, is no longer true.
      say(place?.trusted === false ? { text: null, problem: UNTRUSTED } : NOTHING)
    }
    if (place?.trusted) rate.soon()
  }

  return {
    look,
    begin() {
      followed = []
      look()
      options.tell(told)
    },
    begun(id) {
      followed = [...followed.filter((other) => other.id !== id), { id, title: null }]
      look()
    },
    ended(id) {
      followed = followed.filter((other) => other.id !== id)
      look()
    },
    hear(delta) {
      const shown = followed.at(-1)
      if (shown === undefined) return
      if (delta.type === 'event') {
        if (delta.conversationId === shown.id && COUNTED.has(delta.event.type)) look()
      } else if (delta.type === 'conversation' && delta.summary.id === shown.id) {
        if (shown.title !== null && shown.title !== delta.summary.title) look()
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
          message: 'No folder is open. Open one first: the status line’s command runs in it.',
        })
      if (!settings.current.trustedFolders.includes(folder))
        return fail({ type: 'not-trusted', message: `${UNTRUSTED} Trust it first, or open another.` })
      const ended = await runner.run({ command, folder, input: await gather(folder) })
      const { problem } = wordsOfRun(ended)
      if (problem === null && wanted()?.command === command) {
        rate.forgive()
        look()
      }
      return ok({ output: ended.output, problem, exitCode: ended.exitCode, ms: ended.ms })
    },
    stop: () => rate.stop(),
  }
}
