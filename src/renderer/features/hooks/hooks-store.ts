/** The hooks of the open folder with their last runs, and the user's actions on them. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { FolderHooks, HookEntry, HookRun, HookTest } from '../../../shared/hooks/hooks.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { DelayedCall } from '../../ui/machine.ts'

interface HooksState extends FolderHooks {
  readonly folder: string
  readonly runs: readonly HookRun[]
}

interface HooksStore {
  /** Null until the first answer. */
  readonly state: HooksState | null
  /** Why the hooks can't be listed; null: they can. */
  readonly failure: string | null
  /** The ids of hooks with a running action. */
  readonly busy: ReadonlySet<string>
  /** The results of the last test, by the id of its hook. */
  readonly tests: ReadonlyMap<string, HookTest>
}

export const useHooks = create<HooksStore>()(() => ({
  state: null,
  failure: null,
  busy: new Set(),
  tests: new Map(),
}))

const { getState: get, setState: set } = useHooks

/** Several runs within this time, in ms, cause one reload. */
const PAUSE = 500
const reload = new DelayedCall(reloadHooks, PAUSE)

/** A hook that ran is listed again. */
export function receiveHooks(deltas: readonly WindowDelta[]): void {
  if (get().state === null) return
  if (deltas.some((delta) => delta.type === 'event' && delta.event.type === 'hook-ran')) reload.schedule()
}

/** Loads the hooks of the open folder, again after a change of its trust. */
export function useHooksOfFolder(): void {
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  const conversationId = useSession((state) => state.conversationId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: trust decides which hooks there are
  useEffect(() => {
    if (get().state?.folder !== folder) set({ state: null, failure: null, tests: new Map() })
    if (folder === null) return
    reloadHooks()
    // Another program may have changed the files.
    window.addEventListener('focus', reloadHooks)
    return () => window.removeEventListener('focus', reloadHooks)
  }, [folder, trusted])
  // A conversation begins with its first message: what ran for that came before its events reach the window.
  useEffect(() => {
    if (conversationId !== null && get().state !== null) reload.schedule()
  }, [conversationId])
}

export function reloadHooks(): void {
  const { folder } = useSession.getState()
  if (folder !== null) void load(folder.path)
}

async function load(folder: string): Promise<void> {
  const answer = await command('hooks.state', { folder })
  if (useSession.getState().folder?.path !== folder) return
  if (!answer.ok) set({ failure: answer.failure.message })
  else if (answer.value !== undefined) set({ state: { folder, ...answer.value }, failure: null })
}

/** A failure is shown as a notice. */
export async function decideHook({ id }: HookEntry, decision: 'approved' | 'refused'): Promise<void> {
  await withHook(id, async (folder) => {
    const answer = await command('hooks.decide', { folder, id, decision })
    if (!answer.ok) showFailure(answer.failure)
    await load(folder)
  })
}

/** Runs the hooks of the same event with a sample that this one applies to. */
export async function testHook({ id, definition }: HookEntry): Promise<void> {
  await withHook(id, async (folder) => {
    const tool = /^[A-Za-z_]+/.exec(definition.matcher)?.[0] ?? 'Bash'
    const answer = await command('hooks.test', {
      folder,
      event: definition.event,
      tool,
      input: sampleFor(tool),
    })
    if (!answer.ok) return showFailure(answer.failure)
    set({ tests: new Map([...get().tests, ...answer.value.map((test) => [test.entry.id, test] as const)]) })
  })
}

function sampleFor(tool: string): Readonly<Record<string, unknown>> {
  if (tool === 'Bash') return { command: 'echo hello' }
  return tool === 'Edit' || tool === 'Write' || tool === 'Read'
    ? { file_path: 'README.md', content: 'hello' }
    : {}
}

async function withHook(id: string, act: (folder: string) => Promise<void>): Promise<void> {
  const { state, busy } = get()
  if (state === null || busy.has(id)) return
  set({ busy: new Set([...busy, id]) })
  try {
    await act(state.folder)
  } finally {
    set({ busy: new Set([...get().busy].filter((other) => other !== id)) })
  }
}

/** Whether a hook waits for the user's decision. */
export const isWaiting = ({ state }: HookEntry): boolean => state === 'new' || state === 'changed'
