/** Keeps everything the window shows about the open folder up to date: files, definitions, worktrees, status line. */
import type { BrowserWindow } from 'electron'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { ReviewSnapshot } from '../../shared/worktrees/review.ts'
import type { Runtime, RuntimeDelta } from '../runtime/ports/runtime.ts'
import type { Connection } from './connection.ts'
import { createFolderRefresh } from './folders/folder-refresh.ts'
import type { Folders } from './folders/folders.ts'
import type { Log } from './log.ts'
import { createReviewWatch, type ReviewWatch } from './review/review-watch.ts'
import type { FindRepository, Program, SettingsPort, StatusLinePort } from './services.ts'
import { createStatusLine, type StatusLineService } from './status-line/status-line.ts'

interface OpenFolderWatchesOptions {
  readonly window: BrowserWindow
  readonly log: Log
  readonly settings: SettingsPort
  readonly folders: Folders
  readonly connection: Connection
  /** Definitions need no model access, so their watch does not wait for it. */
  readonly program: () => Promise<Program>
  readonly statusLine: StatusLinePort
  readonly findRepository: FindRepository
  /** Of Troupe. */
  readonly version: string
  /** ms since the epoch. */
  readonly now: () => number
  /** ms, for durations. */
  readonly elapsed: () => number
  readonly push: (delta: WindowDelta) => void
}

export interface OpenFolderWatches {
  readonly statusLine: StatusLineService
  readonly reviewWatch: ReviewWatch
  /** Call this when a page has its first answer. Before, nothing is watched: no page receives the deltas. */
  begin(): void
  /** Call this when another folder is open. */
  folderOpened(): void
  settingsChanged(): void
  trustChanged(): void
  /** A merge may have moved the branch that is checked out. */
  worktreesChanged(): void
  onDelta(delta: RuntimeDelta): void
  stop(): void
}

export function createOpenFolderWatches(options: OpenFolderWatchesOptions): OpenFolderWatches {
  const { window, log, settings, folders, connection, push } = options
  const { program } = connection

  const definitionWatch = createDefinitionWatch(options.program, (folder) =>
    push({ type: 'definitions', folder }),
  )
  const refresh = createFolderRefresh({
    folders,
    onChange: (folder) => {
      push({ type: 'folder', folder })
      statusLine.update()
    },
  })
  const isVisible = (): boolean => !window.isDestroyed() && window.isVisible() && !window.isMinimized()
  const takeMerges = createOutsideMerges(async (conversationId, merges) =>
    (await program()).runtime.mergesFound(conversationId, merges),
  )
  const reviewWatch = createReviewWatch({
    review: async () => (await program()).review,
    folder: () => folders.current,
    isTrusted: (folder) => settings.trusts(folder),
    isVisible,
    agent: (conversationId, agentId) => connection.runtime?.state(conversationId, agentId) ?? null,
    push: (snapshot) => {
      push({ type: 'review', snapshot })
      takeMerges(snapshot).catch((cause) => log.error('Recording a merge failed', cause))
    },
    onError: (cause) => log.error('Listing the worktrees failed', cause),
    now: options.elapsed,
  })
  const statusLine = createStatusLine({
    runner: options.statusLine,
    settings,
    folder: () => folders.current,
    branchOf: async (folder) => (await options.findRepository(folder))?.branch ?? null,
    waits: async (command, folder) => (await program()).texts.scriptsWait(folder, [command]),
    snapshot: async (conversationId) => (await program()).runtime.snapshot(conversationId),
    extras: async (folder, main) => (await program()).statusExtras(folder, main),
    version: options.version,
    push: (content) => push({ type: 'status-line', ...content }),
    visible: isVisible(),
    now: options.elapsed,
    timeNow: options.now,
  })
  window.on('focus', () => {
    refresh.schedule()
    reviewWatch.schedule()
  })
  for (const event of ['show', 'hide', 'minimize', 'restore'] as const)
    window.on(event as 'show', () => {
      statusLine.setVisible(isVisible())
      if (isVisible()) reviewWatch.schedule()
    })

  const followDefinitions = (): void => {
    const path = folders.current
    if (path === null) return
    const { plugins } = settings.current
    definitionWatch.follow({
      path,
      trusted: settings.trusts(path),
      plugins: plugins.filter(({ enabled }) => enabled).map((plugin) => plugin.path),
    })
  }

  let hasBegun = false
  const folderOpened = (): void => {
    if (!hasBegun) return
    followDefinitions()
    reviewWatch.folderOpened()
    refresh.schedule()
  }

  return {
    statusLine,
    reviewWatch,
    begin() {
      const isFirst = !hasBegun
      hasBegun = true
      if (isFirst && folders.current !== null) folderOpened()
      statusLine.begin()
    },
    folderOpened,
    settingsChanged() {
      if (!hasBegun) return
      statusLine.update()
      followDefinitions()
    },
    trustChanged() {
      refresh.tellAgain()
      reviewWatch.schedule()
    },
    worktreesChanged() {
      reviewWatch.changed()
      refresh.schedule()
    },
    onDelta(delta) {
      refresh.onDelta(delta)
      statusLine.onDelta(delta)
      reviewWatch.onDelta(delta)
    },
    stop() {
      refresh.stop()
      reviewWatch.stop()
      definitionWatch.stop()
      statusLine.stop()
    },
  }
}

interface FollowedFolder {
  readonly path: string
  readonly trusted: boolean
  /** The folders of the enabled plugins. */
  readonly plugins: readonly string[]
}

interface DefinitionWatch {
  /** Watches this folder instead of the previous one. */
  follow(folder: FollowedFolder): void
  stop(): void
}

/**
 * Watches the definitions of the open folder. A change of the folder, its trust or the plugins restarts the watch.
 *
 * @param changed also called once when a watch begins
 */
export function createDefinitionWatch(
  program: () => Promise<Pick<Program, 'definitions'>>,
  changed: (folder: string) => void,
): DefinitionWatch {
  let followed = ''
  let end = () => {}
  const stop = () => {
    followed = ''
    end()
    end = () => {}
  }
  return {
    follow: (folder) => {
      const now = JSON.stringify(folder)
      if (followed === now) return
      stop()
      followed = now
      const { path, trusted } = folder
      program()
        .then(({ definitions }) => {
          // Another folder was requested during composition.
          if (followed === now) end = definitions.watch(path, { trusted }, () => changed(path))
        })
        .catch(() => {})
    },
    stop,
  }
}

type FoundMerge = Parameters<Runtime['mergesFound']>[1][number]

/**
 * Tells the runtime of merges that were made outside the window, as lists of worktrees show them.
 *
 * @returns a function for each new list; each merge is told once
 */
export function createOutsideMerges(
  tell: Runtime['mergesFound'],
): (snapshot: Pick<ReviewSnapshot, 'worktrees'>) => Promise<void> {
  const told = new Set<string>()
  return async ({ worktrees }) => {
    const merges = new Map<string, FoundMerge[]>()
    for (const { conversationId, agentId, merged } of worktrees) {
      if (merged === null) continue
      const { into, commit, at } = merged
      merges.set(conversationId, [...(merges.get(conversationId) ?? []), { agentId, into, commit, at }])
    }
    for (const [conversationId, found] of merges) {
      const key = found.map(({ agentId, commit }) => `${agentId} ${commit}`).join(' ')
      if (told.has(key)) continue
      told.add(key)
      const done = await tell(conversationId, found)
      // Another Troupe has the conversation, or it can't be written now: the next list tries again.
      if (!done.ok) told.delete(key)
    }
  }
}
