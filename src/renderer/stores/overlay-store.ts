/** What lies over the views: notices, the one open overlay, the text of the view in the status bar, and the system's own windows. */

import { useEffect, useRef, useState } from 'react'
import { create } from 'zustand'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { callOf, command, onCallDone } from '../bridge.ts'

type Overlay =
  | 'palette'
  | 'help'
  | 'usage'
  | 'trash'
  | 'coordinator'
  | 'context'
  | 'programs'
  | 'best'
  | 'memory'
  | 'export'
  | null

interface OverlayState {
  readonly overlay: Overlay
  /** The first text of the palette. */
  readonly query: string
  /** Whether the palette lists conversations only. */
  readonly onlyConversations: boolean
  /** The id of what it shows: for the context window an agent, for the external agents a program, for an export a conversation. Null: the main one. */
  readonly about: string | null
  /** The conversations of an export of several, `about` among them: one after the other. Empty: only `about`. */
  readonly batch: readonly string[]
}

export const useOverlay = create<OverlayState>()(() => ({
  ...{ overlay: null, query: '', onlyConversations: false, about: null, batch: [] },
}))

/** Opens an overlay, or closes the open one. `about`: the id of what it shows. */
export function showOverlay(overlay: Overlay, about: string | null = null): void {
  // While an overlay closes, it must not change.
  useOverlay.setState(
    overlay === null ? { overlay } : { overlay, query: '', onlyConversations: false, about, batch: [] },
  )
}

/** Opens the palette with a text, for a choice among its commands. */
export function showPalette(query: string): void {
  useOverlay.setState({ overlay: 'palette', query, onlyConversations: false })
}

/** Opens the palette for a choice among the conversations. */
export function showConversations(query: string): void {
  useOverlay.setState({ overlay: 'palette', query, onlyConversations: true })
}

/** Whether the drawer with the requests of agents is open. It covers no view whole, so it is no overlay. */
export const useRequestDrawer = create<{ readonly open: boolean }>()(() => ({ open: false }))

export function showRequestDrawer(open: boolean): void {
  useRequestDrawer.setState({ open })
}

/** Notices for the user, which the app shows as toasts. One that no longer holds leaves at once. */
export interface Notice {
  readonly level: 'info' | 'error'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
  /** What it is about, for `endNotices`. */
  readonly about?: string
}

interface Listener {
  readonly show: (notice: Notice) => void
  readonly end: (about: string) => void
}

const listeners = new Set<Listener>()

/** Shows a notice. */
export function showNotice(notice: Notice): void {
  for (const listener of listeners) listener.show(notice)
}

/** Shows the message of a failed command, until the same command succeeds. */
export function showFailure(failure: { readonly message: string }): void {
  const about = callOf(failure)
  showNotice({ level: 'error', text: failure.message, ...(about && { about }) })
}

/** Takes away the notices about something that is in order again. */
export function endNotices(about: string): void {
  for (const listener of listeners) listener.end(about)
}

onCallDone(endNotices)

/** Calls back with each notice, and with what is in order again, until the returned function is called. */
export function onNotice(show: Listener['show'], end: Listener['end'] = () => {}): () => void {
  const listener = { show, end }
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The text of the current view in the status bar. */
interface ViewStatus {
  /** At the left, before everything else. */
  readonly start: string | null
  /** At the right end. */
  readonly end: string | null
}

const NONE: ViewStatus = { start: null, end: null }

export const useViewStatus = create<ViewStatus>()(() => NONE)

/** Shows this text in the status bar while the component is mounted. */
export function useStatusText({ start, end }: ViewStatus): void {
  useEffect(() => useViewStatus.setState({ start, end }), [start, end])
  useEffect(() => () => useViewStatus.setState(NONE), [])
}

/** Shows a file or folder in the system's file manager. */
export function revealPath(path: string): Promise<void> {
  return withNotice(command('system.reveal', { path }))
}

export function openTerminal(folder: string): Promise<void> {
  return withNotice(command('system.openTerminal', { folder }))
}

/** Opens a file of a folder in the user's editor. */
export function openFile(folder: string, path: string): Promise<void> {
  return withNotice(command('system.openFile', { folder, path, line: null }))
}

/** Opens an https or mailto link in the user's browser, after the program's own question. */
export function openLink(url: string): Promise<void> {
  return withNotice(command('system.openLink', { url }))
}

async function withNotice(asked: Promise<Answer<void>>): Promise<void> {
  const answer = await asked
  if (!answer.ok) showFailure(answer.failure)
}

interface CommandFailure {
  readonly type: string
  readonly message: string
}

interface DialogCommand {
  readonly busy: boolean
  readonly failure: CommandFailure | null
  readonly clearFailure: () => void
  /** Returns null when the dialog closed before the answer; a failure is then shown as a notice. */
  readonly run: <T>(work: () => Promise<Answer<T>>) => Promise<Answer<T> | null>
}

/** The command that a dialog runs: whether it is running, and why it failed. */
export function useDialogCommand(): DialogCommand {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<CommandFailure | null>(null)
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return {
    busy,
    failure,
    clearFailure: () => setFailure(null),
    run: async (work) => {
      setBusy(true)
      setFailure(null)
      const answer = await work()
      if (!open.current) {
        if (!answer.ok) showFailure(answer.failure)
        return null
      }
      setBusy(false)
      if (!answer.ok) setFailure(answer.failure)
      return answer
    },
  }
}
