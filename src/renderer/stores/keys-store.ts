/** The keys of actions: the user's choices over the defaults. Every place that shows or handles such keys reads them here. */
import { useCallback } from 'react'
import { create } from 'zustand'
import { boundKeys, type KeyBindings } from '../../shared/commands/key-bindings.ts'
import type { KeyActionId } from '../../shared/commands/key-map.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { command } from '../bridge.ts'
import { endNotices, showNotice } from './overlay-store.ts'

export const useKeyBindings = create<KeyBindings>()(() => ({ file: '', bindings: {}, problems: [] }))

/** The keys of an action now, for code outside components; undefined: none. */
export function keysNow(id: KeyActionId): string | undefined {
  return boundKeys(id, useKeyBindings.getState())
}

/** The keys of actions, for components; undefined: none. */
export function useKeysOf(): (id: KeyActionId) => string | undefined {
  const bindings = useKeyBindings((state) => state.bindings)
  return useCallback((id) => boundKeys(id, { bindings }), [bindings])
}

/** Reads the keys when the window starts. */
export async function loadKeys(): Promise<void> {
  const answer = await command('keys.state', {})
  if (answer.ok && answer.value !== undefined) takeKeys(answer.value)
}

/** Takes the keys that the main process read. Lines of the file that don't count become notices. */
export function takeKeys(keys: KeyBindings): void {
  const before = useKeyBindings.getState().problems
  useKeyBindings.setState(keys, true)
  if (before.join('\n') === keys.problems.join('\n')) return
  endNotices('keys')
  for (const text of keys.problems) showNotice({ level: 'error', text, about: 'keys' })
}

/** Gives actions other keys, all or none; null: no keys. @returns the failure's message; null: done */
export async function setKeys(
  keys: Readonly<Partial<Record<KeyActionId, string | null>>>,
): Promise<string | null> {
  return taken(await command('keys.set', { keys }))
}

/** Gives actions the keys of a preset, and offers to take that back. @returns the failure's message; null: done */
export async function takePreset(
  name: string,
  keys: Readonly<Partial<Record<KeyActionId, string>>>,
): Promise<string | null> {
  const { bindings } = useKeyBindings.getState()
  const failure = await setKeys(keys)
  if (failure !== null) return failure
  const ids = Object.keys(keys) as KeyActionId[]
  const back = async () => {
    const before = ids.flatMap((id) => {
      const binding = bindings[id]
      return binding === undefined ? [] : [[id, binding.keys] as const]
    })
    const problem =
      (await resetKeys(ids)) ?? (before.length === 0 ? null : await setKeys(Object.fromEntries(before)))
    if (problem !== null) showNotice({ level: 'error', text: problem })
  }
  showNotice({
    level: 'info',
    text: `Keys of ${name} are in use.`,
    action: { label: 'Undo', run: () => void back() },
  })
  return null
}

/** Gives actions their default keys again; null: all. @returns the failure's message; null: done */
export async function resetKeys(ids: readonly KeyActionId[] | null): Promise<string | null> {
  return taken(await command('keys.reset', { ids: ids === null ? null : [...ids] }))
}

function taken(answer: Answer<KeyBindings>): string | null {
  if (answer.ok) takeKeys(answer.value)
  return answer.ok ? null : answer.failure.message
}
