/**
 * The files that hooks watch, for each open conversation: those that matchers of FileChanged name in its folder, those
 * that a hook's answer names, and the settings files, for ConfigChange. Their events are those of the main agent.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { fileNames } from '../../../shared/hooks/matcher.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import type { AgentReach, HandlerContext, Interceptor } from '../../runtime/ports/interceptors.ts'
import type { ConfiguredHook } from './configured-hooks.ts'

export interface HookWatchOptions {
  /** The settings files of a folder, also those that don't exist, with the public name of their kind. */
  readonly settingsFiles: (folder: string) => readonly SettingsPlace[]
}

export interface SettingsPlace {
  readonly path: string
  readonly source: 'policy_settings' | 'user_settings' | 'project_settings' | 'local_settings'
}

export interface HookWatches {
  /** The interceptors that begin to watch, at the start of a conversation and with each message of the user. */
  interceptors(running: readonly ConfiguredHook[]): readonly Interceptor[]
  /** Also watches these files. Paths are relative to the agent's folder. */
  follow(context: HandlerContext, paths: readonly string[]): void
}

/** Files of one conversation. */
const MOST_FILES = 200
/** ms */
const SOON = 5000

/** Watches end with their conversations. */
export function createHookWatches({ settingsFiles }: HookWatchOptions): HookWatches {
  /** By conversation. Without a watcher until a file is named. */
  const watches = new Map<string, Watch>()

  /** Null: the conversation is closing, or the agent is no main agent and nothing is watched yet. */
  function watchOf({ agent, reach }: HandlerContext): Watch | null {
    const known = watches.get(agent.conversationId)
    if (known || reach === null || reach.lifetime.aborted || agent.parentId !== null) return known ?? null
    const made = new Watch(reach)
    watches.set(agent.conversationId, made)
    const end = () => {
      watches.delete(agent.conversationId)
      made.end()
    }
    reach.lifetime.addEventListener('abort', end, { once: true })
    return made
  }

  return {
    interceptors(running) {
      const named = running.flatMap(({ definition: { event, matcher } }) =>
        event === 'FileChanged' ? fileNames(matcher) : [],
      )
      const wantsSettings = running.some(({ definition }) => definition.event === 'ConfigChange')
      if (named.length === 0 && !wantsSettings) return []
      const begin = async (_facts: unknown, context: HandlerContext): Promise<null> => {
        const found = watchOf(context)
        const { project } = context.agent
        found?.add(named.map((name) => join(project, name)))
        if (wantsSettings) found?.addSettings(settingsFiles(project))
        return null
      }
      const handlers = { 'session-start': begin, 'user-message': begin }
      return [{ source: 'hooks', timeLimitMs: SOON, handlers }]
    },
    follow(context, paths) {
      const { cwd } = context.agent
      watchOf(context)?.add(paths.map((path) => (isAbsolute(path) ? path : resolve(cwd, path))))
    },
  }
}

/** ms between two looks. A file is told once it is the same at two looks in a row: editors write in several steps. */
const INTERVAL = 300

interface Followed {
  /** As it was told; empty: there is no file. */
  known: string
  /** As it was at the last look. */
  seen: string
  readonly settings: SettingsPlace | null
}

/** Looks at the files again and again: they may not exist yet, nor their folders, and no system limits the number. */
class Watch {
  private readonly reach: AgentReach
  private readonly files = new Map<string, Followed>()
  private timer: NodeJS.Timeout | null = null

  constructor(reach: AgentReach) {
    this.reach = reach
  }

  addSettings(places: readonly SettingsPlace[]): void {
    for (const place of places) this.addOne(place.path, place)
  }

  add(paths: readonly string[]): void {
    for (const path of paths) this.addOne(path, null)
  }

  end(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.files.clear()
  }

  private addOne(path: string, settings: SettingsPlace | null): void {
    if (this.files.has(path) || this.files.size >= MOST_FILES) return
    const known = fileVersion(path)
    this.files.set(path, { known, seen: known, settings })
    if (this.files.size === 1) this.next()
  }

  private next(): void {
    this.timer = setTimeout(() => {
      for (const [path, file] of this.files) this.look(path, file)
      if (this.files.size > 0) this.next()
    }, INTERVAL)
    this.timer.unref()
  }

  private look(path: string, file: Followed): void {
    const before = file.seen
    file.seen = fileVersion(path)
    if (file.seen !== before || file.seen === file.known) return
    const change = file.known === '' ? 'add' : file.seen === '' ? 'unlink' : 'change'
    file.known = file.seen
    if (file.settings !== null) void this.reach.raise('settings-changed', file.settings)
    else void this.reach.raise('file-changed', { path, change })
  }
}
