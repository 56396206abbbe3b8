/** The MCP servers of the open folder, and the user's actions on them. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { McpAddition, McpServerState, McpState } from '../../shared/mcp/mcp.ts'
import { command } from '../bridge.ts'
import { showFailure, showNotice } from './overlay-store.ts'
import { useSession } from './session-store.ts'
import { showSettingsPart } from './settings-store.ts'

interface McpStore {
  /** Null until the first answer. */
  readonly state: McpState | null
  /** Why the servers can't be listed; null: they can. */
  readonly failure: string | null
  /** The server on the screen, by name. */
  readonly selected: string | null
  /** Servers with a running action. */
  readonly busy: ReadonlySet<string>
}

export const useMcp = create<McpStore>()(() => ({
  state: null,
  failure: null,
  selected: null,
  busy: new Set(),
}))

const { getState: get, setState: set } = useMcp

export function receiveMcp(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'mcp')
  if (last?.type === 'mcp' && last.state.folder === useSession.getState().folder?.path)
    set({ state: last.state, failure: null })
}

/** Loads the servers of the open folder, again after a change of its trust. Deltas follow. */
export function useMcpOfFolder(): void {
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: trust decides which servers there are
  useEffect(() => {
    if (get().state?.folder !== folder) set({ state: null, failure: null, selected: null })
    if (folder === null) return
    const reload = () => void load(folder)
    reload()
    // Another program may have changed the files.
    window.addEventListener('focus', reload)
    return () => window.removeEventListener('focus', reload)
  }, [folder, trusted])
}

/** Reads the configuration again. */
export function reloadServers(): void {
  const { folder } = useSession.getState()
  if (folder !== null) void load(folder.path)
}

async function load(folder: string): Promise<void> {
  const answer = await command('mcp.state', { folder })
  if (useSession.getState().folder?.path !== folder) return
  if (!answer.ok) set({ failure: answer.failure.message })
  else if (answer.value !== undefined) set({ state: answer.value, failure: null })
}

type McpAction = 'approve' | 'refuse' | 'reconnect' | 'test'

/** A failure is shown as a notice. */
export async function actOnServer(action: McpAction, name: string): Promise<void> {
  const { state, busy } = get()
  if (state === null || busy.has(name)) return
  set({ busy: new Set([...busy, name]) })
  try {
    const answer = await command(`mcp.${action}`, { folder: state.folder, name })
    if (!answer.ok) showFailure(answer.failure)
    await load(state.folder)
  } finally {
    set({ busy: new Set([...get().busy].filter((other) => other !== name)) })
  }
}

/** Writes a server and shows it. @returns why it failed; null: it is written */
export async function addServer(addition: McpAddition): Promise<string | null> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return 'No folder is open.'
  const answer = await command('mcp.add', { folder, ...addition })
  if (!answer.ok) return answer.failure.message
  await load(folder)
  set({ selected: addition.name })
  return null
}

/** Removes a server from its file; the notice offers to write it again. */
export async function removeServer(name: string): Promise<void> {
  const folder = get().state?.folder
  if (folder === undefined) return
  const answer = await command('mcp.remove', { folder, name })
  if (!answer.ok) return showFailure(answer.failure)
  await load(folder)
  const removed = answer.value
  if (removed === undefined) return
  const undo = async () => {
    const back = await command('mcp.add', { folder, ...removed })
    if (!back.ok) showFailure(back.failure)
    await load(folder)
  }
  showNotice({
    level: 'info',
    text: `${name} is removed.`,
    action: { label: 'Undo', run: () => void undo() },
  })
}

export function selectServer(name: string): void {
  set({ selected: name })
}

/** Shows a server in Settings › MCP servers. */
export function showServer(name: string): void {
  set({ selected: name })
  showSettingsPart('mcp')
}

/** The servers that the status bar names. */
export const MARKED = {
  failed: ({ status }: McpServerState): boolean => status.kind === 'failed',
  waiting: ({ status }: McpServerState): boolean => status.kind === 'waits' || status.kind === 'sign-in',
} as const
