/**
 * The files that hooks watch, for each open conversation: those that matchers of FileChanged name in its folder, those
 * that a hook's answer names, and the settings files, for ConfigChange. Their events are those of the main agent.
 */
import { isAbsolute, join, resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { AgentReach, HandlerContext, Interceptor } from '../../runtime/interceptors.ts'
import type { ConfiguredHook } from './configured-hooks.ts'
import { fileNames } from './matcher.ts'

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
/** ms without a change before a written file counts as changed. */
const SETTLED = 50

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

class Watch {
  private readonly reach: AgentReach
  private readonly files = new Set<string>()
  private readonly settings = new Map<string, SettingsPlace>()
  private watcher: FSWatcher | null = null

  constructor(reach: AgentReach) {
    this.reach = reach
  }

  addSettings(places: readonly SettingsPlace[]): void {
    for (const place of places) this.settings.set(place.path, place)
    this.add(places.map(({ path }) => path))
  }

  add(paths: readonly string[]): void {
    const fresh = [...new Set(paths)].filter((path) => !this.files.has(path))
    const taken = fresh.slice(0, Math.max(0, MOST_FILES - this.files.size))
    if (taken.length === 0) return
    for (const path of taken) this.files.add(path)
    this.watcher ??= this.start()
    this.watcher.add(taken)
  }

  end(): void {
    void this.watcher?.close()
  }

  private start(): FSWatcher {
    const watcher = watch([], {
      ignoreInitial: true,
      depth: 0,
      // Editors write in several steps, some by way of another file.
      atomic: true,
      awaitWriteFinish: { stabilityThreshold: SETTLED, pollInterval: 10 },
    })
    for (const change of ['add', 'change', 'unlink'] as const)
      watcher.on(change, (path) => {
        const settings = this.settings.get(path)
        if (settings !== undefined) void this.reach.raise('settings-changed', settings)
        else if (this.files.has(path)) void this.reach.raise('file-changed', { path, change })
      })
    // What can't be watched is not told.
    watcher.on('error', () => {})
    return watcher
  }
}
