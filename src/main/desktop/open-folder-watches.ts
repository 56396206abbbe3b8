/** Keeps everything the window shows about the open folder up to date: files, definitions, worktrees, status line. */
import type { BrowserWindow } from 'electron'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import type { Connection } from './connection.ts'
import { createFolderRefresh } from './folders/folder-refresh.ts'
import type { Folders } from './folders/folders.ts'
import { createDefinitionWatch } from './folders/watch-definitions.ts'
import { createOutsideMerges } from './review/outside-merges.ts'
import { createReviewWatch, type ReviewWatch } from './review/review-watch.ts'
import type { Log, Program, SettingsPort, StatusLinePort } from './services.ts'
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
    branchOf: async (folder) => (await (await program()).folders.facts(folder)).gitBranch,
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

  return {
    statusLine,
    reviewWatch,
    folderOpened() {
      followDefinitions()
      reviewWatch.folderOpened()
    },
    settingsChanged() {
      statusLine.update()
      followDefinitions()
    },
    trustChanged: reviewWatch.schedule,
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
