/**
 * What the desktop follows for all windows: in the runtime's deltas the running agents, conversations that no window
 * shows and failed writes; and changes of the settings.
 */
import type { Settings } from '../../shared/settings/settings.ts'
import type { ConversationSummary, WriteFailure } from '../../shared/state/conversation-summary.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import type { Log } from './log.ts'
import type { SettingsPort } from './services.ts'

export interface RunningAgents {
  /** In all folders. */
  readonly count: { readonly agents: number; readonly requests: number }
  /** The conversations with running agents. With a folder's real path: in this folder. */
  conversations(folder?: string): readonly ConversationSummary[]
  onDelta(delta: RuntimeDelta): void
}

/** Counts running agents and pending permission requests over all conversations. */
export function countRunningAgents(): RunningAgents {
  const byId = new Map<string, ConversationSummary>()
  return {
    get count() {
      let [agents, requests] = [0, 0]
      for (const summary of byId.values()) {
        agents += summary.running
        requests += summary.requests
      }
      return { agents, requests }
    },
    conversations: (folder) =>
      [...byId.values()].filter((summary) => folder === undefined || summary.folder === folder),
    onDelta(delta) {
      if (delta.type === 'conversation') {
        if (delta.summary.running > 0) byId.set(delta.summary.id, delta.summary)
        else byId.delete(delta.summary.id)
      } else if (delta.type === 'conversation-gone') byId.delete(delta.conversationId)
    },
  }
}

/** The number of running agents in these conversations. */
export function agentsIn(conversations: readonly ConversationSummary[]): number {
  return conversations.reduce((sum, { running }) => sum + running, 0)
}

interface Notice {
  readonly title: string
  readonly body: string
}

interface UnshownConversationsOptions {
  readonly isShown: (conversationId: string) => boolean
  readonly notify: (notice: Notice, conversation: ConversationSummary) => void
}

/**
 * Notifies of conversations that no window shows. A window notifies of its own conversation itself.
 *
 * @returns a listener for the runtime's deltas
 */
export function watchUnshownConversations(options: UnshownConversationsOptions) {
  const last = new Map<string, ConversationSummary>()
  return (delta: RuntimeDelta): void => {
    if (delta.type === 'conversation-gone') last.delete(delta.conversationId)
    if (delta.type !== 'conversation') return
    const { summary } = delta
    const before = last.get(summary.id)
    last.set(summary.id, summary)
    // Without a title it has no message yet: its main agent was created, and has done nothing.
    if (summary.scratch || summary.title === '' || options.isShown(summary.id)) return
    if (summary.requests > (before?.requests ?? 0))
      options.notify(
        { title: `${summary.title} needs you`, body: 'An agent waits for your answer.' },
        summary,
      )
    else if (summary.running === 0 && (before?.running ?? 0) > 0)
      options.notify({ title: 'All agents are done', body: summary.title }, summary)
  }
}

interface WriteFailuresOptions {
  /** Called with all current failures after each change. */
  readonly push: (failures: readonly WriteFailure[]) => void
  /** Notifies the user of a new failure that paused this many agents. */
  readonly notify: (message: string, agents: number) => void
  readonly log: Log
}

export interface WriteFailures {
  /** The current failures. */
  readonly all: readonly WriteFailure[]
  onDelta(delta: RuntimeDelta): void
}

/** Tracks failed writes and the agents they pause, for the window and for notifications. */
export function createWriteFailures({ push, notify, log }: WriteFailuresOptions): WriteFailures {
  const failures = new Map<string, WriteFailure>()
  const all = (): readonly WriteFailure[] => [...failures.values()]

  const take = ({ conversationId, agentIds, message }: WriteFailure): void => {
    const before = failures.get(conversationId)
    if (agentIds.length === 0) {
      if (!failures.delete(conversationId)) return
      log.info(`The log of ${conversationId} is being written again`)
    } else {
      failures.set(conversationId, { conversationId, agentIds, message })
      if (before?.message !== message) log.error(`The log of ${conversationId} can't be written: ${message}`)
      if (before === undefined) notify(message, agentIds.length)
    }
    push(all())
  }

  return {
    get all() {
      return all()
    },
    onDelta(delta) {
      if (delta.type === 'write-failure') take(delta)
      else if (delta.type === 'conversation-gone' && failures.delete(delta.conversationId)) push(all())
    },
  }
}

interface FollowSettingsOptions {
  readonly settings: Pick<SettingsPort, 'current' | 'watch'>
  /** Every change. */
  readonly onChange: (settings: Settings) => void
  readonly onTrustChange: () => void
  readonly onRecentFoldersChange: () => void
  /** The access to a model or the API's address changed. */
  readonly onAccessChange: () => void
  /** All current problems of the settings files, for display. */
  readonly onProblems: (messages: readonly string[]) => void
}

/**
 * Carries a change of the settings to the parts of the desktop that depend on them.
 *
 * @returns a function that ends the subscription
 */
export function followSettings(options: FollowSettingsOptions): () => void {
  let previous: Settings = options.settings.current
  return options.settings.watch((current, problems) => {
    options.onProblems(problems)
    const before = previous
    previous = current
    options.onChange(current)
    if (differs(before.trustedFolders, current.trustedFolders)) options.onTrustChange()
    if (differs(before.recentFolders, current.recentFolders)) options.onRecentFoldersChange()
    if (differs([before.access, before.baseUrl], [current.access, current.baseUrl])) options.onAccessChange()
  })
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b)
